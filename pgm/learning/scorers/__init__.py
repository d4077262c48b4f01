"""Scorers for any structured model, one a file."""

from pgm.learning.scorers.family_scorer import FamilyScorer
from pgm.learning.scorers.feature_rows import feature_rows
from pgm.learning.scorers.feature_scorer import FeatureScorer
from pgm.learning.scorers.module_scorer import ModuleScorer

__all__ = ["FamilyScorer", "FeatureScorer", "ModuleScorer", "feature_rows"]
