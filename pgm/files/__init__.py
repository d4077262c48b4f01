"""Models, evidence and answers in the file formats of others; everything may be gzipped."""

from pgm.files.bif import read_bif
from pgm.files.evidence import read_evidence, write_evidence
from pgm.files.libdai import read_fg, write_fg
from pgm.files.model import read_model
from pgm.files.results import (
    format_map,
    format_mar,
    format_pr,
    read_map,
    read_mar,
    read_pr,
    write_map,
    write_mar,
    write_pr,
)
from pgm.files.uai import read_uai, write_uai

__all__ = [
    "format_map",
    "format_mar",
    "format_pr",
    "read_bif",
    "read_evidence",
    "read_fg",
    "read_map",
    "read_mar",
    "read_model",
    "read_pr",
    "read_uai",
    "write_evidence",
    "write_fg",
    "write_map",
    "write_mar",
    "write_pr",
    "write_uai",
]
