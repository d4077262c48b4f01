"""Any structure of `hypergraph` as a structured model: exact sums over trees, sequences, parses, alignments.

Parts are the weights of the structure: the score of an answer is the sum of the scores of what it uses.  Events are the
same weights, but for shared ones (`Structure.shared`), which decoders and L2 leave alone.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from autodiff.conversion import as_number
from hypergraph import Chart, Structure, kbest, sample, viterbi
from pgm.learning.errors import GoldError
from pgm.learning.instance import Instance, Run, Scores
from pgm.learning.output_space import Backward, OutputSpace
from pgm.learning.scorer import Scorer
from pgm.learning.structured_model import StructuredModel

__all__ = ["StructureExample", "StructureInstance", "StructureModel", "StructureRun", "StructureSpace"]

_KIND = "weights"


@frozen(eq=False)
class StructureExample:
    """An input, and what is known of its answer.

    Attributes
    ----------
    input : whatever the model makes a structure of
    gold : the right answer, as the structure decodes it; None if it is not known whole
    allowed : (weights,) which weights the right answer may use, for latent structure; by default all
    """

    input: Any = field()
    gold: Any = field(default=None)
    allowed: ArrayLike | None = field(default=None, kw_only=True)


@frozen(eq=False)
class StructureModel(StructuredModel):
    """Learns and decodes the answers that a structure has for each input, by exact dynamic programming.

    Parameters
    ----------
    structure : makes the structure of an input
    scorer : scores its weights, as the kind "weights"

    Examples
    --------
    >>> from autodiff.optimizers import AdaGrad
    >>> from hypergraph.structures import LinearChain
    >>> from pgm.learning import ConditionalLogLikelihood, FeatureScorer, MaximumScore, Trainer
    >>> def features(instance):                                # of a word with a state, and of two states
    ...     words = np.asarray(instance.input)
    ...     return np.append((words[:, None] * 2 + [0, 1]).ravel(), 6 + np.arange(4)), np.arange(2 * len(words) + 5)
    >>> def chain(words):
    ...     return LinearChain(len(words), 2, shared_transitions=True)
    >>> model = StructureModel(chain, FeatureScorer(10, features))
    >>> data = [([0, 1, 2], [0, 1, 1]), ([2, 0], [1, 0])]
    >>> _ = Trainer(ConditionalLogLikelihood(), AdaGrad(0.5)).fit(model, data)
    >>> model.decode([0, 2, 2], MaximumScore())
    array([0, 1, 1])
    """

    structure: Callable[[Any], Structure] = field()
    scorer: Scorer = field()

    def instance(self, item: Any) -> "StructureInstance":
        """Make a `StructureExample`, a pair (input, gold), an input alone, or what a function returns ready."""
        if callable(item):
            item = item()
        return self.input_instance(StructureExample(*item) if isinstance(item, tuple) and len(item) == 2 else item)

    def input_instance(self, item: Any) -> "StructureInstance":
        """Make an input ready (a pair as well: here it is no input with gold), or a `StructureExample`."""
        example = item if isinstance(item, StructureExample) else StructureExample(item)
        return StructureInstance(example, self.structure(example.input))

    @classmethod
    def examples(cls, rng: np.random.Generator) -> "Iterable[tuple[StructuredModel, Any]]":
        """Yield chains that use a weight several times, and trees of either kind, an arc of which is impossible."""
        from autodiff import Parameter
        from autodiff.modules import Reshape
        from hypergraph.structures import LinearChain, NonprojectiveTrees, ProjectiveTrees
        from pgm.learning.scorers import ModuleScorer

        def scored_by_a_table(make: Callable[[Any], Structure], size: int) -> "StructureModel":
            table = Parameter("table", rng.normal(size=size))
            return cls(make, ModuleScorer(Reshape((size,)), lambda _: (table,)))

        chain = scored_by_a_table(lambda words: LinearChain(len(words), 2, shared_transitions=True), 12)
        yield chain, ("abcd", [0, 1, 1, 1])
        for kind in (ProjectiveTrees, NonprojectiveTrees):
            trees = scored_by_a_table(kind, 16)
            trees.scorer.parameters([trees.instance(3)])["table"].value[6] = -np.inf
            yield trees, (3, [-1, 2, 0, 2])


class StructureSpace(OutputSpace):
    """The answers of a structure; softly, an answer has a probability ∝ exp(Σ_parts b(part) / T).

    Weights that are shared by several places do not count: of them there are expected numbers of uses, but no beliefs.
    """

    def __init__(self, structure: Structure) -> None:
        self.structure = structure

    def search(self, values: Floats) -> Any:
        """Return the best answer."""
        return self.structure.best(np.where(self.structure.shared, 0.0, values))[1]

    def soften(self, beliefs: Floats, temperature: float) -> tuple[Floats, Backward]:
        """Return the marginals of the weights, and the way back."""
        temperature = as_number(temperature, "StructureSpace: temperature", above=0)
        events = ~self.structure.shared
        chart = self.structure.run(self.structure.check_weights(np.where(events, beliefs, 0.0) / temperature))
        return chart.weight_marginals, lambda adjoint: np.where(events, chart.backward(adjoint), 0.0) / temperature

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable[tuple[OutputSpace, Floats]]:
        """Yield trees, and a chain that uses some weights several times."""
        from hypergraph.structures import LinearChain, ProjectiveTrees

        yield cls(ProjectiveTrees(3)), rng.uniform(0.1, 0.9, size=16)
        yield cls(LinearChain(4, 2, shared_transitions=True)), rng.uniform(0.1, 0.9, size=12)


class StructureInstance(Instance):
    """An input with its structure.

    Attributes
    ----------
    input : as given
    structure : of the input
    """

    def __init__(self, example: StructureExample, structure: Structure) -> None:
        self.input, self.structure, self._example = example.input, structure, example
        self.space = StructureSpace(structure)

    @cached_property
    def _uses(self) -> Floats:
        """(weights,): how often the right answer uses each weight."""
        if self._example.gold is None:
            raise GoldError("this objective needs the right answer, but only the input is known")
        used = self.structure.weights_of(self._example.gold)
        return np.bincount(used, minlength=self.structure.num_weights).astype(np.float64)

    @cached_property
    def _allowed(self) -> NDArray[np.bool_]:
        """(weights,): what the right answer may use, as far as that is known."""
        if self._example.gold is not None:
            return np.asarray(self._uses > 0)
        if self._example.allowed is None:
            return np.ones(self.structure.num_weights, dtype=np.bool_)
        allowed = np.asarray(self._example.allowed, dtype=np.bool_).ravel()
        if allowed.shape != (self.structure.num_weights,):
            raise GoldError(
                f"allowed has {allowed.size} entries; {self.structure.brief} has {self.structure.num_weights} weights"
            )
        return allowed

    def run(
        self, scores: Mapping[Any, Floats], *, costs: Floats | None = None, clamped: bool = False, record: bool = False
    ) -> "StructureRun":
        """Run inside-outside."""
        weights = self._checked(scores)
        if costs is not None:
            weights = weights + self.checked_costs(costs)
        if clamped:
            weights = np.where(self._allowed, weights, -np.inf)
        return StructureRun(self.structure, weights, np.shape(scores[_KIND]))

    @cached_property
    def targets(self) -> Floats:
        """(weights,): the uses of the right answer; 0 for what it cannot use, NaN for the rest, if it is unknown.

        Shared weights are no events, so NaN too.
        """
        known = self._uses if self._example.gold is not None else np.where(self._allowed, np.nan, 0.0)
        return np.where(self.structure.shared, np.nan, known)

    @property
    def right(self) -> Floats:
        """(weights,): the uses of the right answer; none if it is not known whole."""
        return np.zeros(self.structure.num_weights) if self._example.gold is None else self._uses

    def recalled(self, recall_of: Any = None) -> Floats:
        """Return (weights,): the uses of the right answer, shared weights aside."""
        return np.where(self.structure.shared, 0.0, super().recalled(recall_of))

    def gold_score(self, scores: Mapping[Any, Floats], why: str) -> tuple[float, Scores]:
        """Return the score of the right answer, and its uses."""
        weights, uses = self._checked(scores), self._uses
        used = uses > 0
        if (weights[used] == -np.inf).any():
            index = int(np.flatnonzero(used & (weights == -np.inf))[0])
            raise GoldError(f"the right answer uses {self.structure.weight_name(index)}, which is impossible ({why})")
        return float(weights[used] @ uses[used]), {_KIND: uses.reshape(np.shape(scores[_KIND]))}

    def _checked(self, scores: Mapping[Any, Floats]) -> Floats:
        """Return the scores as a vector, one for each weight."""
        weights = np.ravel(scores[_KIND])
        if len(weights) != self.structure.num_weights:
            raise GoldError(
                f"there are {len(weights)} scores for the {self.structure.num_weights} weights of "
                f"{self.structure.brief}; the scorer has to give one for each, in their order"
            )
        return weights


class StructureRun(Run):
    """Sums over a structure, exact."""

    converged = True

    def __init__(self, structure: Structure, weights: Floats, shape: tuple[int, ...]) -> None:
        self.structure, self._weights, self._shape = structure, structure.check_weights(weights), shape

    @cached_property
    def _chart(self) -> Chart:
        return self.structure.run(self._weights)

    @property
    def log_partition(self) -> float:
        """The log of the total weight."""
        return float(self._chart.log_partition)

    @property
    def beliefs(self) -> Floats:
        """(weights,): their expected uses."""
        return self._chart.weight_marginals

    @property
    def part_beliefs(self) -> Scores:
        """The same, in the shape of the scores."""
        return {_KIND: self.beliefs.reshape(self._shape)}

    def backward(self, *, beliefs: Floats | None = None, log_partition: float | None = None) -> Scores:
        """Return the adjoint of the weights (Gormley et al. 2015, eqs 16–19)."""
        adjoint = np.zeros(len(self._weights))
        if log_partition is not None:
            adjoint += log_partition * self.beliefs
        if beliefs is not None:
            adjoint += self._chart.backward(np.ascontiguousarray(beliefs))
        return {_KIND: adjoint.reshape(self._shape)}

    def best(self) -> Any:
        """Return the best answer."""
        return self.structure.decode(viterbi(self.structure, self._weights))

    def kbest(self, k: int) -> list[tuple[float, Any]]:
        """Return the k best answers."""
        return [(found.score, self.structure.decode(found)) for found in kbest(self.structure, self._weights, k)]

    def sample(self, count: int, rng: np.random.Generator) -> list[Any]:
        """Return exact samples."""
        return [self.structure.decode(found) for found in sample(self.structure, self._weights, count, seed=rng)]
