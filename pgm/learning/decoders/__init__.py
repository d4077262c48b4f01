"""Decoders for any structured model, one a file."""

from pgm.learning.decoders.log_odds import LogOdds
from pgm.learning.decoders.maximum_score import MaximumScore
from pgm.learning.decoders.minimum_bayes_risk import MinimumBayesRisk

__all__ = ["LogOdds", "MaximumScore", "MinimumBayesRisk"]
