"""Semirings, one a file: what the total weight of all derivations means."""

from hypergraph.semirings.base import Semiring
from hypergraph.semirings.boolean import Boolean
from hypergraph.semirings.check import check_semiring
from hypergraph.semirings.counting import Counting
from hypergraph.semirings.expectation import Expectation
from hypergraph.semirings.kbest import KBest
from hypergraph.semirings.log import LogSemiring
from hypergraph.semirings.max_plus import MaxPlus
from hypergraph.semirings.python import PythonSemiring
from hypergraph.semirings.real import Real
from hypergraph.semirings.second_order import SecondOrderExpectation
from hypergraph.semirings.signed_log import SignedLog

__all__ = [
    "Boolean",
    "Counting",
    "Expectation",
    "KBest",
    "LogSemiring",
    "MaxPlus",
    "PythonSemiring",
    "Real",
    "SecondOrderExpectation",
    "Semiring",
    "SignedLog",
    "check_semiring",
]
