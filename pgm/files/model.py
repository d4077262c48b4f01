"""A model in whichever format its name says."""

from pgm.errors import FileFormatError
from pgm.files.bif import read_bif
from pgm.files.libdai import read_fg
from pgm.files.tokens import AnyPath
from pgm.files.uai import read_uai
from pgm.graph import FactorGraph

__all__ = ["read_model"]

_READERS = {".uai": read_uai, ".fg": read_fg, ".bif": read_bif}


def read_model(path: AnyPath) -> FactorGraph:
    """Read a .uai, .fg or .bif file, or the same with .gz after it.

    Raises
    ------
    FileFormatError
        If the file is malformed, or its name says nothing about its format.

    Examples
    --------
    >>> read_model("model.txt")
    Traceback (most recent call last):
    pgm.errors.FileFormatError: model.txt:1: the name tells no format; expected .uai, .fg or .bif, or these with .gz
    """
    name = str(path).lower().removesuffix(".gz")
    for ending, reader in _READERS.items():
        if name.endswith(ending):
            return reader(path)
    raise FileFormatError(f"{path}:1: the name tells no format; expected .uai, .fg or .bif, or these with .gz")
