"""Files that are whole or not there: written at once, and read only if every byte is what was written."""

from autodiff.files.bounded import FileTooLargeError, read_bounded
from autodiff.files.model_file import ModelFile, ModelFileError, Section, check_writable, same_json, write_model
from autodiff.files.naming import naming
from autodiff.files.replacing import replacing, why_not_writable
from autodiff.files.tensor_file import ArraySpec, TensorFile, TensorFileError, write_tensors

__all__ = [
    "ArraySpec",
    "FileTooLargeError",
    "ModelFile",
    "ModelFileError",
    "Section",
    "TensorFile",
    "TensorFileError",
    "check_writable",
    "naming",
    "read_bounded",
    "replacing",
    "same_json",
    "why_not_writable",
    "write_model",
    "write_tensors",
]
