"""Compiled loops, imported when they are first called: Numba takes longer to import than all the rest."""
