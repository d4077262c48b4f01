"""Sampling: marginals estimated by drawing states, where no other method will do, and as a check of those that do."""

from pgm.sampling.gibbs import Gibbs, GibbsResult

__all__ = ["Gibbs", "GibbsResult"]
