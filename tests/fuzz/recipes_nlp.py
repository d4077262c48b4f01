"""Good calls of the public names of `nlp`."""

import io
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve

from autodiff.optimizers import GradientBuffer
from fuzz.recipe import Case, exempt, recipe
from nlp import conll, deps, evaluation, features
from nlp.conll import Sentence
from nlp.deps.decoders import HillClimbing

exempt(
    "a record of what happened, made by the package",
    "nlp.evaluation.ArcScore",
    "nlp.evaluation.Comparison",
    "nlp.evaluation.Evaluation",
    "nlp.evaluation.RelationScore",
    "nlp.evaluation.Score",
)
exempt("takes no arrays and no numbers", "nlp.conll.Format", "nlp.deps.demo.garden", "nlp.deps.demo.garden_file")
exempt("takes nothing", "nlp.deps.default_templates", "nlp.deps.template_roles")
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
    templates = features.TemplateSet.of("arc", ("h", "m"), "h.tag m.tag dir dist?\nh.form m.form")
    return features.FeatureHasher(templates, bits=bits).prepare(_vocabulary().encode(_sentence()))


@recipe("nlp.features.parse_templates", "nlp.features.read_templates")
def templates() -> Iterable[Case]:
    def use(roles: Any) -> Any:
        text = "h.tag m.tag dir dist?\nh.form m.form"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arc.templates"
            path.write_text(text)
            read = features.read_templates(path, roles=roles)
        return read["arc"].text, features.parse_templates(text, roles=roles)["arc"].text

    yield Case(use, roles={"arc": ("h", "m")})


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
        text = "h.tag m.tag between.tag dir dist?\nh.form m.form\nh.morph m.morph"
        templates = features.TemplateSet.of("arc", ("h", "m"), text)
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
        buffer = GradientBuffer(1 << bits)
        prepared.accumulate(adjoint, buffer, heads, modifiers, smallest=smallest)
        return indices, offsets, prepared.score(weights, heads, modifiers), buffer.take()

    yield Case(
        use, bits=6, weights=np.random.default_rng(0).normal(size=64), heads=np.array([2, 0]),
        modifiers=np.array([1, 2]), adjoint=np.array([1.0, -2.0]), smallest=0.5,
    )  # fmt: skip


@recipe("nlp.features.LabelHasher", "nlp.features.LabelFeatures")
def label_hasher() -> Iterable[Case]:
    def use(
        bits: int, labels: int, weights: Any, starts: Any, numbers: Any, heads: Any, modifiers: Any, adjoint: Any,
        smallest: float,
    ) -> Any:  # fmt: skip
        templates = features.TemplateSet.of("relation", ("h", "m"), "h.tag m.tag dir\nm.form")
        prepared = features.LabelHasher(templates, bits=bits, labels=labels).prepare(_vocabulary().encode(_sentence()))
        places = (starts, numbers, heads, modifiers)
        indices, offsets = prepared.extract(*places)
        buffer = GradientBuffer(1 << bits)
        prepared.accumulate(adjoint, buffer, *places, smallest=smallest)
        return indices, offsets, prepared.score(weights, *places), buffer.take()

    yield Case(
        use, bits=6, labels=20, weights=np.random.default_rng(0).normal(size=64), starts=np.array([0, 2, 3]),
        numbers=np.array([0, 17, 3]), heads=np.array([2, 0]), modifiers=np.array([1, 2]),
        adjoint=np.array([1.0, -2.0, 0.25]), smallest=0.5, _words={"numbers": ("labels",)},
    )  # fmt: skip


# The parser


exempt("chooses among kinds by their names", "nlp.deps.kinds.kinds_named", "nlp.deps.kinds.names_of")
exempt("takes nothing", "nlp.deps.kinds.part_switches")
exempt("what kinds have in common, without anything of its own", "nlp.deps.kinds.Switched")
exempt("made by models, whose recipe uses it", "nlp.deps.kinds.RelationVariables")


@recipe("nlp.deps.Analysis")
def analysis() -> Iterable[Case]:
    def use(heads: Any) -> Any:
        tree = deps.Analysis(heads, ["det", "nsubj", "root"])
        return tree.heads, tree.is_complete, tree.roots, tree.is_projective, tree.on(_sentence()).text

    yield Case(use, heads=np.array([2, 3, 0]))


_NAMES = ["det", "root", "obj"]


@lru_cache(maxsize=2)
def _parser(**options: Any) -> deps.DependencyParser:
    sentences = [_sentence().with_heads(np.array(_HEADS), _NAMES)] * 4
    return deps.DependencyParser(bits=8, epochs=1, pruning=False, **options).fit(sentences)


@recipe(
    "nlp.deps.DependencyModel",
    "nlp.deps.decoders.HillClimbing",
    "nlp.deps.inference.LoopyInference",
    "nlp.deps.kinds.Arcs",
    "nlp.deps.kinds.ChildSequences",
    "nlp.deps.kinds.Crossings",
    "nlp.deps.kinds.Grandparents",
    "nlp.deps.kinds.RelationPairs",
    "nlp.deps.kinds.Relations",
    "nlp.deps.kinds.Siblings",
)
def model() -> Iterable[Case]:
    """With all kinds of parts; what is handed to it are sentences, whose heads may be anything."""

    def use(heads: Any, iterations: int, damping: float) -> Any:
        model = _parser(childseq=True, nocross=True, tree="nonprojective", labels="joint").model
        assert model is not None
        inference = type(model.inference)(iterations=iterations, damping=damping)
        changed = evolve(model, inference=inference)
        instance = changed.of(_sentence(), gold=deps.Analysis(heads))
        run = changed.run(instance)
        climbed = HillClimbing().decode(instance, changed.scorer.score(instance)[0])
        return run.beliefs, run.log_partition, instance.targets, climbed.heads

    yield Case(use, heads=_HEADS, iterations=2, damping=0.1)


@recipe("nlp.deps.inference.ExactInference")
def exact() -> Iterable[Case]:
    def use(k: int) -> Any:
        parser = _parser(inference="exact", siblings=False)
        assert parser.model is not None
        run = parser.model.run(_sentence())
        best = [(score, tree.heads) for score, tree in parser.best_parses(_sentence(), k)]
        return run.beliefs, run.log_partition, best, parser.marginals(_sentence(), labels=True)

    yield Case(use, k=2)


@recipe("nlp.deps.DependencyParser")
def parser() -> Iterable[Case]:
    def use(heads: Any, epochs: int, bits: int, learning_rate: float, order: int, max_heads: int) -> Any:
        sentences = [_sentence(heads).with_heads(heads, _NAMES)] * 2
        settings = {"epochs": epochs, "learning_rate": learning_rate, "order": order, "max_heads": max_heads}
        parsed = deps.DependencyParser(bits=bits, **settings).fit(sentences).parse(sentences[:1])[0]
        return parsed.heads, list(parsed.relations)

    yield Case(use, heads=_HEADS, epochs=1, bits=8, learning_rate=0.5, order=2, max_heads=2)
