"""Files that are whole or not there: written at once, and read only if every byte is what was written."""

from autodiff.files.bounded import FileTooLargeError, read_bounded
from autodiff.files.naming import naming
from autodiff.files.replacing import replacing, why_not_writable
from autodiff.files.tensor_file import ArraySpec, TensorFile, TensorFileError, write_tensors

__all__ = [
    "ArraySpec",
    "FileTooLargeError",
    "TensorFile",
    "TensorFileError",
    "naming",
    "read_bounded",
    "replacing",
    "why_not_writable",
    "write_tensors",
]
