"""The treebank of the demonstration: see the README beside it."""

from pathlib import Path
from typing import Literal

from nlp.conll import Sentence, read_all

__all__ = ["Part", "garden", "garden_file"]

Part = Literal["train", "dev", "test"]


def garden_file(part: Part) -> Path:
    """Return where a part of the treebank is.

    Examples
    --------
    >>> garden_file("dev").name
    'garden-dev.conllu'
    """
    return Path(__file__).with_name(f"garden-{part}.conllu")


def garden(part: Part) -> list[Sentence]:
    """Read a part of the treebank.

    Examples
    --------
    >>> " ".join(garden("test")[0].forms)
    'A fox lives under the wooden bridge .'
    """
    return read_all(garden_file(part))
