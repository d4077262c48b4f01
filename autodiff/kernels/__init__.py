"""Compiled loops.  Nothing here is imported until it is first called: Numba takes longer to import than all the rest."""
