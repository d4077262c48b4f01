"""Factors, one family a file."""

from pgm.factors.table import Table

__all__ = ["Table"]
