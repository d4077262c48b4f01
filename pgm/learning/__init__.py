"""The one learning stack: scorers, structured models, objectives, decoders, and the trainer around them.

input ──Scorer──▶ scores of parts ──StructuredModel──▶ Run ──Objective──▶ loss, adjoints ──▶ Parameters ──▶ step
                                                        └──Decoder──▶ answer
"""

from pgm.learning.accuracy import accuracy
from pgm.learning.annealed_risk import AnnealedRisk
from pgm.learning.check import check_objective
from pgm.learning.checkpoint import Checkpoint
from pgm.learning.conditional_log_likelihood import ConditionalLogLikelihood
from pgm.learning.decoder import Decoder
from pgm.learning.decoders import LogOdds, MaximumScore, MinimumBayesRisk
from pgm.learning.each_variable import EachVariable
from pgm.learning.errors import GoldError, TrainingDivergedError, TrainingError, UnboundedLossWarning
from pgm.learning.example import Example
from pgm.learning.graph_model import GraphInstance, GraphModel
from pgm.learning.history import Epoch, History
from pgm.learning.instance import Instance, Run, Scores
from pgm.learning.l2_distance import L2Distance
from pgm.learning.marginal_log_likelihood import MarginalLogLikelihood
from pgm.learning.objective import Objective, ObjectiveValue
from pgm.learning.output_space import OutputSpace
from pgm.learning.problem import TrainingProblem
from pgm.learning.rate_search import with_tuned_rate
from pgm.learning.scored_graph import Placed, ScoredGraph
from pgm.learning.scorer import Gradients, Scorer
from pgm.learning.scorers import FamilyScorer, FeatureScorer, ModuleScorer, feature_rows
from pgm.learning.softmax_margin import SoftmaxMargin
from pgm.learning.stage import Stage
from pgm.learning.structure_model import StructureExample, StructureInstance, StructureModel
from pgm.learning.structured_model import StructuredModel
from pgm.learning.structured_output import StructuredOutput
from pgm.learning.trainer import Trainer

__all__ = [
    "AnnealedRisk",
    "Checkpoint",
    "ConditionalLogLikelihood",
    "Decoder",
    "EachVariable",
    "Epoch",
    "Example",
    "FamilyScorer",
    "FeatureScorer",
    "GoldError",
    "Gradients",
    "GraphInstance",
    "GraphModel",
    "History",
    "Instance",
    "L2Distance",
    "LogOdds",
    "MarginalLogLikelihood",
    "MaximumScore",
    "MinimumBayesRisk",
    "ModuleScorer",
    "Objective",
    "ObjectiveValue",
    "OutputSpace",
    "Placed",
    "Run",
    "ScoredGraph",
    "Scorer",
    "Scores",
    "SoftmaxMargin",
    "Stage",
    "StructureExample",
    "StructureInstance",
    "StructureModel",
    "StructuredModel",
    "StructuredOutput",
    "Trainer",
    "TrainingDivergedError",
    "TrainingError",
    "TrainingProblem",
    "UnboundedLossWarning",
    "accuracy",
    "check_objective",
    "feature_rows",
    "with_tuned_rate",
]
