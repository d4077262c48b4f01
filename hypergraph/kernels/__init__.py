"""Compiled loops of the hypergraph package, imported when they are first used.

`engine_*` run over the edges of any hypergraph, in three semirings.  `eisner_*`, `chain_*` and `cky_*` run first-order
projective trees, linear chains and context-free parsing without holding an edge.  In each group `*_real` is the fast
one, `*_log` the one that never leaves the range of floating point, and `*_max` finds the best.
"""

from autodiff.kernels.lazy import lazy_modules

__getattr__ = lazy_modules(
    __name__,
    (
        "chain_log",
        "chain_max",
        "chain_real",
        "cky_log",
        "cky_max",
        "cky_real",
        "eisner_log",
        "eisner_max",
        "eisner_real",
        "engine_log",
        "engine_max",
        "engine_real",
    ),
)
