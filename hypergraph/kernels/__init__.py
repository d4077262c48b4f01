"""Compiled loops of the hypergraph package, imported when they are first used.

`engine_*` run over the edges of any hypergraph, in three semirings.  `eisner_*`, `chain_*` and `cky_*` run first-order
projective trees, linear chains and context-free parsing without holding an edge.  In each group `*_real` is the fast
one, `*_log` the one that never leaves the range of floating point, and `*_max` finds the best.  `eisner_slopes` has the
derivative of the log-partition in each arc's weight, in logs, and max-marginals.  `matrix_tree` sums over
non-projective trees, and `arborescence` finds the best one.
"""

from autodiff.kernels.lazy import lazy_modules

__getattr__ = lazy_modules(__name__)
