"""How a parser is trained: pruned candidates, instances, and the trainer of `pgm.learning` around them."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import evolve

from nlp.conll import Sentence
from nlp.deps.analysis import Analysis
from nlp.deps.dependency_scorer import DependencyScorer
from nlp.deps.graph_budget import GraphBudget
from nlp.deps.length_bounds import LengthBounds
from nlp.deps.model import DependencyModel
from nlp.deps.parts import Parts
from nlp.deps.pruning import Pruner, jackknife, oracle
from nlp.deps.relations import RelationTable
from nlp.features import Vocabulary
from pgm.learning import Checkpoint, History, with_tuned_rate

if TYPE_CHECKING:
    from nlp.deps.parser import DependencyParser

__all__ = ["settings_from_data", "train_parser"]

Report = Callable[[str], None]


def settings_from_data(settings: dict[str, Any], sentences: list[Sentence], say: Report) -> dict[str, Any]:
    """Return settings with those that the training data decide."""
    tree, parts = settings["tree"], settings["parts"]
    if tree.roots is None:
        single = all(int((s.heads == 0).sum()) == 1 for s in sentences)
        tree = evolve(tree, roots="one" if single else "any")
        say(f"roots: {'exactly one' if single else 'any number'}, as in the training data")
    if parts.labels is None:
        labelled = any(name != "_" for s in sentences for name in s.relations)
        parts = evolve(parts, labels="sum" if labelled else "none")
    return {**settings, "tree": tree, "parts": parts}


def train_parser(
    parser: "DependencyParser",
    sentences: list[Sentence],
    dev: list[Sentence] | None,
    *,
    say: Report,
    progress: bool = False,
    workers: int = 1,
    save_to: str | os.PathLike[str] | None = None,
    checkpoint: Checkpoint | None = None,
    resume: bool = False,
) -> None:
    """Train a parser on sentences that can be learnt from; see `DependencyParser.fit`."""
    learning = parser.settings["learning"]
    vocabulary = Vocabulary.fit(sentences)
    relations = None if parser.settings["parts"].labels == "none" else RelationTable.fit(sentences)
    if relations is not None and len(relations) == 1 and relations.names[0] == "_":
        relations = None
    model = parser.make_model(parser.make_scorer(vocabulary, relations), relations)
    pruner, candidates = _prune(parser, model, sentences, say, progress)
    budget = GraphBudget(round(learning.graph_memory * 1e6))
    parser.model = model = evolve(model, pruner=pruner, graph_budget=budget)
    instances = [
        model.of(sentence, parts, gold=Analysis.of(sentence))
        for sentence, parts in zip(sentences, candidates, strict=True)
    ]
    trainer = learning.trainer(parser.settings["objective"], parser.settings["update"], len(instances))
    if dev is None:
        trainer = evolve(trainer, patience=None)
    if learning.learning_rate is None:
        trainer = with_tuned_rate(trainer, model, instances)
        say(f"{trainer.update!r}: the learning rate was chosen on a sample of the training data")

    def development() -> float:
        with _single_precision(model.scorer):
            found = parser.score(dev or [], workers=workers)
        return found.uas if found.las is None or relations is None else found.las

    def keep(history: History) -> None:
        parser.history = history
        if save_to is not None:
            parser.save(save_to)

    try:
        trainer.fit(
            model, instances, development=None if dev is None else development, checkpoint=checkpoint,
            resume=resume, keep=keep, report=say, progress=progress,
        )  # fmt: skip
    finally:  # after an error or an interrupt, the best weights so far are there as well
        model.scorer.to_single_precision()
    if not any(parameter.read().any() for parameter in model.scorer.parameters().values()):
        say("warning: all weights are 0, and the model has learnt nothing; use a smaller regularization")


def _prune(
    parser: "DependencyParser", model: DependencyModel, sentences: list[Sentence], say: Report, progress: bool
) -> tuple[Pruner | None, list[Parts]]:
    settings, learning = parser.settings["pruning"], parser.settings["learning"]
    if not (parser.prunes or settings.length_bounds):
        return None, [Parts.all_arcs(len(sentence)) for sentence in sentences]

    def fit(part: list[Sentence]) -> Pruner:
        pruner = Pruner(settings, LengthBounds.fit(part) if settings.length_bounds else None)
        if not parser.prunes:
            return pruner
        simple = model.first_order(parser.pruner_scorer(model.scorer.vocabulary))
        instances = [simple.of(s, pruner.candidates(s), gold=Analysis.of(s)) for s in part]
        learning.pruner_trainer(settings.pruner_epochs, len(part)).fit(simple, instances, progress=progress)
        simple.scorer.to_single_precision()
        return evolve(pruner, model=simple)

    pruner, candidates = jackknife(sentences, settings.folds if parser.prunes else 1, fit)
    kept, heads = oracle(sentences, candidates)
    if kept < 98:
        say("warning: pruning takes away more than 2 % of the gold arcs; a looser threshold may pay")
    say(f"pruning: {kept:.2f} % of the gold arcs of the training data are left, {heads:.1f} heads a word")
    return pruner, candidates


@contextmanager
def _single_precision(scorer: DependencyScorer) -> Iterator[None]:
    """Let weights be as they will be saved, for a while."""
    before = {name: parameter.read() for name, parameter in scorer.parameters().items()}
    try:
        scorer.to_single_precision()
        yield
    finally:
        for name, parameter in scorer.parameters().items():
            parameter.value = before[name]
