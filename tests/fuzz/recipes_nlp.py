"""Good calls of the public names of `nlp`."""

import io
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.recipe import Case, exempt, recipe
from nlp import conll, deps, evaluation, features
from nlp.conll import Sentence
from nlp.deps import kinds
from nlp.deps.settings import ModelSettings

exempt(
    "a record of what happened, made by the package",
    "nlp.evaluation.ArcScore",
    "nlp.evaluation.Comparison",
    "nlp.evaluation.Evaluation",
    "nlp.evaluation.RelationScore",
    "nlp.evaluation.Score",
    "nlp.deps.kinds.Placed",
)
exempt("takes no arrays and no numbers", "nlp.conll.Format", "nlp.deps.demo.garden", "nlp.deps.demo.garden_file")
exempt("prints the demonstration", "nlp.deps.demo.report")
exempt(
    "made by `parse_templates`, whose recipe uses it",
    "nlp.features.Atom",
    "nlp.features.Template",
    "nlp.features.TemplateSet",
)

_HEADS = np.array([2, 0, 2])


def _sentence(heads: Any = (2, 0, 2)) -> Sentence:
    return Sentence.from_words(["a", "dog", "barks"], tags=["D", "N", "V"], heads=heads)


# Treebanks


@recipe("nlp.conll.Sentence")
def sentence() -> Iterable[Case]:
    def use(heads: Any, others: Any) -> Any:
        return _sentence(heads).text, _sentence(heads).with_heads(others).heads

    yield Case(use, heads=_HEADS, others=np.array([0, 1, 1]), _words={"others": ("heads",)})


@recipe("nlp.conll.Limits")
def limits() -> Iterable[Case]:
    def use(megabytes: float, line: int, lines: int) -> Any:
        stream = io.BytesIO()
        conll.write_sentences([_sentence()], stream)
        stream.seek(0)
        return conll.read_all(stream, limits=conll.Limits(megabytes=megabytes, line=line, lines=lines))[0].forms

    yield Case(use, megabytes=1.0, line=200, lines=100)


@recipe(
    "nlp.conll.is_projective", "nlp.conll.nonprojective_arcs", "nlp.conll.projectivise", "nlp.conll.projectivise_all"
)
def projectivity() -> Iterable[Case]:
    def use(heads: Any) -> Any:
        answers = conll.is_projective(heads), conll.nonprojective_arcs(heads), conll.projectivise(heads, roots="one")
        return *answers, conll.projectivise_all([heads])

    yield Case(use, heads=np.array([0, 4, 1, 1]))


@recipe("nlp.conll.read_all", "nlp.conll.read_sentences", "nlp.conll.write_sentences")
def files() -> Iterable[Case]:
    def use(heads: Any) -> Any:
        stream = io.BytesIO()
        conll.write_sentences([_sentence(heads)], stream)
        stream.seek(0)
        read = conll.read_all(stream)
        return [each.heads for each in read], stream.getvalue()

    yield Case(use, heads=_HEADS)


# Evaluation


@recipe("nlp.evaluation.evaluate")
def evaluate() -> Iterable[Case]:
    def use(heads: Any) -> Any:
        return evaluation.evaluate([_sentence()], [_sentence().with_heads(heads)]).uas

    yield Case(use, heads=_HEADS)


@recipe("nlp.evaluation.compare")
def compare() -> Iterable[Case]:
    def use(heads: Any, rounds: int, seed: int) -> Any:
        gold = [_sentence()] * 4
        bad = [each.with_heads(heads) for each in gold]
        return evaluation.compare(gold, bad, gold, rounds=rounds, seed=seed).p_value

    yield Case(use, heads=np.array([0, 1, 1]), rounds=20, seed=0)


@recipe("nlp.evaluation.is_punctuation")
def is_punctuation() -> Iterable[Case]:
    yield Case(lambda: [evaluation.is_punctuation(form) for form in ("...", "", "a")])


# Features


@lru_cache(maxsize=1)
def _vocabulary() -> features.Vocabulary:
    return features.Vocabulary.fit([_sentence()], minimum_count=1)


def _features(bits: int = 6) -> Any:
    templates = features.parse_templates("h.tag m.tag dir dist?\nh.form m.form")["arc"]
    return features.FeatureHasher(templates, bits=bits).prepare(_vocabulary().encode(_sentence()))


@recipe("nlp.features.parse_templates", "nlp.features.read_templates")
def templates() -> Iterable[Case]:
    def use() -> Any:
        text = "h.tag m.tag dir dist?\nh.form m.form"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arc.templates"
            path.write_text(text)
            read = features.read_templates(path)
        return read["arc"].text, features.parse_templates(text)["arc"].text

    yield Case(use)


@recipe("nlp.features.Vocabulary")
def vocabulary() -> Iterable[Case]:
    def use(minimum_count: int) -> Any:
        made = features.Vocabulary.fit([_sentence()], minimum_count=minimum_count)
        return made.encode(_sentence()).attributes

    yield Case(use, minimum_count=1)
    arrays = _vocabulary().to_arrays()

    def again(arrays: Any) -> Any:
        return features.Vocabulary.from_arrays(arrays).encode(_sentence()).attributes

    yield Case(again, arrays=dict(arrays))


@recipe("nlp.features.EncodedSentence")
def encoded() -> Iterable[Case]:
    good = _vocabulary().encode(_sentence())

    def use(attributes: Any, morph_offsets: Any, morph: Any, class_counts: Any) -> Any:
        made = features.EncodedSentence(attributes, morph_offsets, morph, class_counts)
        templates = features.parse_templates("h.tag m.tag between.tag dir dist?\nh.form m.form\nh.morph m.morph")["arc"]
        prepared = features.FeatureHasher(templates, bits=6).prepare(made)
        return made.most_morphs, made.between, prepared.extract([0, 2], [2, 1])

    yield Case(
        use, attributes=good.attributes, morph_offsets=good.morph_offsets, morph=good.morph,
        class_counts=good.class_counts,
    )  # fmt: skip


@recipe("nlp.features.FeatureHasher", "nlp.features.SentenceFeatures")
def hasher() -> Iterable[Case]:
    def use(bits: int, weights: Any, heads: Any, modifiers: Any, adjoint: Any, smallest: float) -> Any:
        prepared = _features(bits)
        indices, offsets = prepared.extract(heads, modifiers)
        buffer = features.GradientBuffer(1 << bits)
        prepared.accumulate(adjoint, buffer, heads, modifiers, smallest=smallest)
        return indices, offsets, prepared.score(weights, heads, modifiers), buffer.take()

    yield Case(
        use, bits=6, weights=np.random.default_rng(0).normal(size=64), heads=np.array([2, 0]),
        modifiers=np.array([1, 2]), adjoint=np.array([1.0, -2.0]), smallest=0.5,
    )  # fmt: skip


@recipe("nlp.features.LabelHasher", "nlp.features.LabelFeatures")
def label_hasher() -> Iterable[Case]:
    templates = features.parse_templates("[relation]\nh.tag m.tag dir dist?\nh.form m.form")["relation"]

    def use(
        bits: int, count: int, weights: Any, starts: Any, labels: Any, heads: Any, modifiers: Any, adjoint: Any,
        smallest: float,
    ) -> Any:  # fmt: skip
        hasher = features.LabelHasher(templates, bits=bits, labels=count)
        prepared = hasher.prepare(_vocabulary().encode(_sentence()))
        given = (starts, labels, heads, modifiers)
        buffer = features.GradientBuffer(1 << bits)
        prepared.accumulate(adjoint, buffer, *given, smallest=smallest)
        return prepared.extract(*given), prepared.score(weights, *given), buffer.take()

    yield Case(
        use, bits=6, count=20, weights=np.random.default_rng(0).normal(size=64), starts=np.array([0, 1, 3]),
        labels=np.array([3, 0, 17]), heads=np.array([2, 0]), modifiers=np.array([1, 2]),
        adjoint=np.array([1.0, -2.0, 0.7]), smallest=0.5, _words={"count": ("labels",)},
    )  # fmt: skip


@recipe("nlp.features.GradientBuffer")
def gradient_buffer() -> Iterable[Case]:
    def use(slots: int, indices: Any, values: Any) -> Any:
        buffer = features.GradientBuffer(slots)
        buffer.add(indices, values)
        return buffer.take()

    yield Case(use, slots=8, indices=np.array([3, 5, 3]), values=np.array([1.0, 2.0, 4.0]))

    def with_memory(memory: Any) -> Any:
        buffer = features.GradientBuffer(4, memory=memory)
        buffer.add([1], [2.0])
        return buffer.take()

    yield Case(with_memory, memory=np.zeros((4, 2)), _changes=("memory",))


@recipe("nlp.features.HashedAdaGrad")
def hashed_adagrad() -> Iterable[Case]:
    def use(weights: Any, indices: Any, values: Any, slots: Any, scale: float, **settings: Any) -> Any:
        optimizer = features.HashedAdaGrad(weights, **settings)
        for _ in range(2):
            optimizer.add(indices, values)
            optimizer.step(scale)
        optimizer.settle(slots)
        optimizer.finish()
        return optimizer.weights, optimizer.averaged()

    arguments = {"indices": np.array([3, 5, 3]), "values": np.array([1.0, 2.0, 4.0])}
    yield Case(
        use, weights=np.ones(8), **arguments, slots=np.array([0, 7], dtype=np.int32), scale=0.5, learning_rate=0.5,
        l2=0.1, delta=0.5, _changes=("weights",), _words={"slots": ("indices",)},
    )  # fmt: skip

    def restored(weights: Any, memory: Any, touched: Any, steps: Any, starts: Any, rates: Any) -> Any:
        optimizer = features.HashedAdaGrad(4, 0.5, l2=0.1)
        optimizer.add([1], [1.0])
        optimizer.step()
        arrays = {"weights": weights, "memory": memory, "touched": touched, "steps": steps}
        optimizer.restore({**optimizer.state(), **arrays, "starts": starts, "rates": rates})
        optimizer.add([2], [1.0])
        optimizer.step()
        optimizer.finish()
        return optimizer.weights, optimizer.averaged()

    good = features.HashedAdaGrad(4, 0.5, l2=0.1)
    good.add([1], [1.0])
    good.step()
    good.add([3], [1.0])
    yield Case(restored, **{key: value for key, value in good.state().items() if key != "settings"})


# The parser


@recipe("nlp.deps.PruningSettings")
def pruning() -> Iterable[Case]:
    yield Case(deps.PruningSettings, threshold=1e-3, most=5, folds=2, epochs=1)


@recipe("nlp.deps.kinds.kinds_of")
def kinds_of() -> Iterable[Case]:
    yield Case(lambda: [kind.name for kind in kinds.kinds_of(ModelSettings(siblings=False))])


@recipe("nlp.deps.DependencyParser")
def parser() -> Iterable[Case]:
    def use(heads: Any, epochs: int, bits: int, learning_rate: float, order: int) -> Any:
        sentences = [_sentence(heads)] * 2
        settings = {"epochs": epochs, "bits": bits, "learning_rate": learning_rate, "order": order}
        return deps.DependencyParser(**settings).fit(sentences).parse(sentences[:1])[0].heads

    yield Case(use, heads=_HEADS, epochs=1, bits=8, learning_rate=0.5, order=1)
