"""Every decoder against the list of all answers, on small exact models; and the output spaces to choose from."""

import numpy as np
import pytest

from autodiff import Module, check_gradients
from oracles.answers import answers
from oracles.enumeration import canonical
from oracles.found import concrete
from oracles.learning import loopy_graph
from pgm.exact import JunctionTree
from pgm.learning import Decoder, GraphModel, OutputSpace, StructuredModel

KINDS = [kind for kind in Decoder.kinds().values() if kind.__module__.startswith("pgm.")]
DECODERS = [decoder for kind in KINDS for decoder in kind.examples()]
MODELS = [pytest.param(GraphModel(JunctionTree()), loopy_graph(4), id="loopy")] + [
    pytest.param(model, item, id=f"{kind.__name__}-{number}")
    for kind in concrete(StructuredModel, "pgm")
    for number, (model, item) in enumerate(kind.examples(np.random.default_rng(8)))
    if getattr(model, "inference", JunctionTree()) == JunctionTree()
]
SPACES = concrete(OutputSpace, "pgm")
SPACE_EXAMPLES = [
    pytest.param(space, beliefs, id=f"{kind.__name__}-{number}")
    for kind in SPACES
    for number, (space, beliefs) in enumerate(kind.examples(np.random.default_rng(5)))
]
by_space = pytest.mark.parametrize(("space", "beliefs"), SPACE_EXAMPLES)


def counted(every):
    """The events of each answer, but for those that an answer can have several times."""
    return np.where(every.events.max(axis=0) <= 1, every.events, 0.0)


# What each is to make greatest, of all possible answers: (answers,) numbers of a list of them.
GREATEST = {
    "mbr": lambda listed, every: counted(every) @ listed.beliefs,
    "log-odds": lambda listed, every: counted(every) @ np.log(
        np.maximum(listed.beliefs, 1e-300) / np.maximum(1.0 - listed.beliefs, 1e-300)
    ),
    "map": lambda listed, every: listed.log_weights,
}  # fmt: skip


def test_all_are_here():
    assert set(KINDS) == set(concrete(Decoder, "pgm"))
    assert {kind.name for kind in KINDS} >= {"mbr", "log-odds", "map"}
    assert all(list(kind.examples()) for kind in KINDS)
    assert all(list(kind.examples(np.random.default_rng(0))) for kind in SPACES)


@pytest.mark.parametrize("decoder", DECODERS, ids=repr)
@pytest.mark.parametrize(("model", "item"), MODELS)
def test_decoders(model, item, decoder):
    instance = model.instance(item)
    scores, _ = model.scorer.score(instance)
    listed = answers(instance, scores)
    decoded = canonical(model.decode(instance, decoder))
    assert decoded in listed.found
    assert canonical(decoder.decode(instance, scores)) == decoded
    if decoder.name in GREATEST:
        # A space may have answers to which the model gives no chance: a decoder is judged among all.
        everything = answers(instance, {kind: np.zeros_like(array) for kind, array in scores.items()})
        totals = GREATEST[decoder.name](listed, everything)
        if decoder.name == "map" or type(instance).__name__ == "StructureInstance":
            assert decoded in everything.of_greatest(totals)
        else:
            assert totals[everything.found.index(decoded)] >= totals.max() - 1e-9


class Softened(Module):
    """beliefs → marginals of the soft decoder."""

    def __init__(self, space, temperature):
        self.space, self.temperature = space, temperature

    def forward(self, beliefs):
        marginals, backward = self.space.soften(beliefs, self.temperature)
        return marginals, lambda adjoint: (backward(adjoint),)


@by_space
@pytest.mark.parametrize("temperature", [0.3, 1.0, 4.0])
def test_gradients_of_soft_decoders(space, beliefs, temperature):
    check_gradients(Softened(space, temperature), beliefs).raise_if_failed()


@by_space
def test_a_cold_soft_decoder_is_the_search(space, beliefs):
    best = canonical(space.search(beliefs))
    cold, _ = space.soften(beliefs, 1e-6)
    np.testing.assert_allclose(cold, np.round(cold), atol=1e-6)
    assert canonical(space.search(cold)) == best
    warm, _ = space.soften(beliefs, 0.5)
    assert (warm > -1e-12).all()


@by_space
def test_wrong_temperatures_are_refused(space, beliefs):
    for temperature in (0.0, -1.0, np.nan, "warm"):
        with pytest.raises((ValueError, TypeError), match="temperature"):
            space.soften(beliefs, temperature)
