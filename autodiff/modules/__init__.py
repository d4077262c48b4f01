"""Elementary modules on arrays, one file each."""

from autodiff.modules.add import Add
from autodiff.modules.concatenate import Concatenate
from autodiff.modules.divide import Divide
from autodiff.modules.einsum import Einsum
from autodiff.modules.exp import Exp
from autodiff.modules.gather import Gather
from autodiff.modules.linear import Linear
from autodiff.modules.log import Log
from autodiff.modules.log_softmax import LogSoftmax
from autodiff.modules.logsumexp import LogSumExp
from autodiff.modules.matmul import MatMul
from autodiff.modules.max import Max
from autodiff.modules.mean import Mean
from autodiff.modules.multiply import Multiply
from autodiff.modules.negate import Negate
from autodiff.modules.negative_log_likelihood import NegativeLogLikelihood
from autodiff.modules.power import Power
from autodiff.modules.relu import Relu
from autodiff.modules.reshape import Reshape
from autodiff.modules.scatter_add import ScatterAdd
from autodiff.modules.select import Select
from autodiff.modules.sigmoid import Sigmoid
from autodiff.modules.softmax import Softmax
from autodiff.modules.sparse_dot import SparseDot
from autodiff.modules.split import Split
from autodiff.modules.squared_error import SquaredError
from autodiff.modules.stack import Stack
from autodiff.modules.subtract import Subtract
from autodiff.modules.sum import Sum
from autodiff.modules.tanh import Tanh
from autodiff.modules.transpose import Transpose

__all__ = [
    "Add",
    "Concatenate",
    "Divide",
    "Einsum",
    "Exp",
    "Gather",
    "Linear",
    "Log",
    "LogSoftmax",
    "LogSumExp",
    "MatMul",
    "Max",
    "Mean",
    "Multiply",
    "Negate",
    "NegativeLogLikelihood",
    "Power",
    "Relu",
    "Reshape",
    "ScatterAdd",
    "Select",
    "Sigmoid",
    "Softmax",
    "SparseDot",
    "Split",
    "SquaredError",
    "Stack",
    "Subtract",
    "Sum",
    "Tanh",
    "Transpose",
]
