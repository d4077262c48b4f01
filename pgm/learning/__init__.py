"""Learning the potentials of factor graphs: objectives, one a file, decoders, and the training loop."""

from pgm.learning.annealed_risk import AnnealedRisk, Annealing
from pgm.learning.check import check_objective
from pgm.learning.conditional_log_likelihood import ConditionalLogLikelihood
from pgm.learning.decoder import Decoder
from pgm.learning.errors import GoldError, TrainingError, UnboundedLossWarning
from pgm.learning.example import Example
from pgm.learning.l2_distance import L2Distance
from pgm.learning.marginal_log_likelihood import MarginalLogLikelihood
from pgm.learning.minimum_bayes_risk import accuracy, minimum_bayes_risk
from pgm.learning.objective import Evaluation, Objective
from pgm.learning.problem import TrainingProblem
from pgm.learning.softmax_margin import SoftmaxMargin
from pgm.learning.structure_decoder import StructureDecoder
from pgm.learning.trainer import Epoch, Training, fit
from pgm.learning.variable_decoder import VariableDecoder

__all__ = [
    "AnnealedRisk",
    "Annealing",
    "ConditionalLogLikelihood",
    "Decoder",
    "Epoch",
    "Evaluation",
    "Example",
    "GoldError",
    "L2Distance",
    "MarginalLogLikelihood",
    "Objective",
    "SoftmaxMargin",
    "StructureDecoder",
    "Training",
    "TrainingError",
    "TrainingProblem",
    "UnboundedLossWarning",
    "VariableDecoder",
    "accuracy",
    "check_objective",
    "fit",
    "minimum_bayes_risk",
]
