"""The dependency parser: train it, parse with it, save it."""

import os
import warnings
from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

import numpy as np
from attrs import evolve

from autodiff.files import check_writable
from nlp.conll import Sentence
from nlp.deps.analysis import Analysis
from nlp.deps.dependency_scorer import DependencyScorer
from nlp.deps.errors import ParserError, ParserWarning
from nlp.deps.hashed_scorer import HashedScorer
from nlp.deps.kinds import Arcs, LabelledKind, PartKind, kinds_named, names_of
from nlp.deps.model import DependencyModel
from nlp.deps.options import CHANGEABLE, check_savable, describe, parser_options
from nlp.deps.parser_file import load_parser, save_parser
from nlp.deps.relations import RelationTable
from nlp.deps.sentences import as_sentences, fingerprint, say_what_does_not_fit, unfamiliar, usable
from nlp.deps.settings import ConstraintSettings
from nlp.deps.templates import with_defaults
from nlp.deps.training import settings_from_data, train_parser
from nlp.evaluation import Evaluation, evaluate
from nlp.features import TemplateSet, Vocabulary
from pgm.learning import Checkpoint, History

__all__ = ["DependencyParser"]

Report = Callable[[str], None]


class DependencyParser:
    """A graph-based parser: arcs, pairs of arcs and relations, scored by hashed features, with beliefs in all of them.

    Parameters
    ----------
    templates : by kind ("arc", "grandparent", "sibling", "relation", "pruner", …), in place of the default ones
    options : order, tree, objective, epochs, …: all of `nlp.deps.options.parser_options()`, flat.  Where an option
        chooses something by name ("bp", "l2", "adagrad", "mbr"), an object of your own will do as well

    Attributes
    ----------
    settings : the options, by what they belong to
    model : what is trained; None before
    history : how training went; None before

    Examples
    --------
    >>> sentences = [Sentence.from_words(["a", "dog", "barks"], tags=["D", "N", "V"], heads=[2, 3, 0],
    ...                                  relations=["det", "nsubj", "root"])] * 4
    >>> parser = DependencyParser(order=1, epochs=5, bits=12, learning_rate=0.5).fit(sentences)
    >>> parser.parse(sentences[:1])[0].heads.tolist(), parser.parse(sentences[:1])[0].relations
    ([2, 3, 0], ('det', 'nsubj', 'root'))
    >>> parser.score(sentences).uas
    100.0
    """

    def __init__(self, *, templates: dict[str, TemplateSet] | None = None, **options: Any) -> None:
        self.templates = with_defaults(templates)
        self.settings = self._asked = parser_options().build(options)
        self.model: DependencyModel | None = None
        self.history: History | None = None
        self._check()

    def __repr__(self) -> str:
        state = "not trained" if self.model is None else "trained"
        objective = "+".join(one.name for one in self.settings["objective"])
        tree = self.settings["tree"].tree
        return f"<DependencyParser: order {self.settings['parts'].order}, {tree}, {objective}, {state}>"

    @property
    def kinds(self) -> list[PartKind]:
        """The kinds of parts of the model, arcs first."""
        return kinds_named(names_of(self.settings["kinds"], PartKind) if self.settings["parts"].order == 2 else [])

    @property
    def labelled_kinds(self) -> list[LabelledKind]:
        """The kinds of parts with relations of several arcs, where relations are variables."""
        if (self.settings["parts"].order, self.settings["parts"].labels) != (2, "joint"):
            return []
        return [LabelledKind.named(name) for name in names_of(self.settings["kinds"], LabelledKind)]

    def _check(self) -> None:
        """Refuse options that do not go together."""
        settings = self.settings
        if settings["parts"].order == 1:
            settings = {**settings, "kinds": type(settings["kinds"])()}
            on = [
                kind.option for kind in kinds_named(names_of(self.settings["kinds"], PartKind))[1:] if not kind.default
            ]
            if on:
                raise ValueError(f"{', '.join(on)}: parts of second-order models; use order=2")
        settings["inference"].check([*self.kinds, *self.labelled_kinds], settings["tree"], settings["constraint"])
        for kind in self.kinds:
            if kind.needs not in (None, settings["tree"].tree):
                raise ValueError(f"{kind.option} is for {kind.needs} models; this one is {settings['tree'].tree}")

    # Training

    def fit(
        self,
        train: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        report: Report | None = None,
        progress: bool = False,
        workers: int = 1,
        save_to: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> "DependencyParser":
        """Train on sentences with heads; with `dev`, keep the weights of the epoch that scores best on it.

        Parameters
        ----------
        report : is told, line by line, how it goes
        progress : whether to show a progress bar on a terminal
        workers : processes that parse `dev`
        save_to : write the best model so far to this file, and beside it a checkpoint, after each epoch
        resume : go on from that checkpoint, if there is one, to the same bytes

        Raises
        ------
        ParserError
            If the sentences cannot be learnt from; the message says why.
        """
        say = report or (lambda _: None)
        if save_to is not None:
            check_writable(save_to)
            check_savable(self)
        sentences = usable(as_sentences(train, "fit"), say)
        dev_sentences = None if dev is None else as_sentences(dev, "fit")
        if dev_sentences is not None and not dev_sentences:
            raise ParserError("there are no development sentences; leave `dev` out to train without them")
        trained = copy(self)
        trained.model = trained.history = None
        trained.settings = settings_from_data(self._asked, sentences, say)
        say_what_does_not_fit(trained.settings["tree"], sentences, say)
        checkpoint = None
        if save_to is not None:
            about = {**describe(trained), "train": fingerprint(sentences), "dev": fingerprint(dev_sentences or [])}
            checkpoint = Checkpoint(f"{os.fspath(save_to)}.checkpoint", about)
            if resume:  # before the work: the checkpoint may be of another run, or the run may be over
                checkpoint.check(save_to)
        try:
            train_parser(
                trained, sentences, dev_sentences, say=say, progress=progress, workers=workers, save_to=save_to,
                checkpoint=checkpoint, resume=resume,
            )  # fmt: skip
        finally:
            if trained.history is not None:
                self.settings, self.model, self.history = trained.settings, trained.model, trained.history
        return self

    def make_model(self, scorer: DependencyScorer, relations: RelationTable | None = None) -> DependencyModel:
        """Return the model that the settings describe, without a pruner."""
        settings = self.settings
        single = relations is not None and len(relations) == 1
        return DependencyModel(
            scorer=scorer, tree=settings["tree"], constraint=settings["constraint"], inference=settings["inference"],
            kinds=self.kinds, labelled_kinds=() if single else self.labelled_kinds, relations=relations,
        )  # fmt: skip

    def make_scorer(self, vocabulary: Vocabulary, relations: RelationTable | None = None) -> DependencyScorer:
        """Return what scores parts, given the vocabulary and the relations of the training data."""
        scoring = self.settings["scoring"]
        return HashedScorer.of(
            vocabulary, self.kinds, self.templates, bits=scoring.bits, word_dropout=scoring.word_dropout,
            relations=0 if relations is None else len(relations), labelled_kinds=self.labelled_kinds,
        )  # fmt: skip

    def pruner_scorer(self, vocabulary: Vocabulary) -> HashedScorer:
        """Return what scores arcs for the pruner."""
        templates = {"arc": self.templates["pruner"]}
        return HashedScorer.of(vocabulary, [Arcs()], templates, bits=self.settings["scoring"].bits)

    @property
    def prunes(self) -> bool:
        """Whether a first-order model prunes arcs."""
        chosen = self.settings["pruning"].pruning
        return bool(self.settings["parts"].order == 2) if chosen is None else chosen

    # Parsing

    def parse(self, sentences: Iterable[Sentence], *, workers: int = 1) -> list[Sentence]:
        """Return the sentences with predicted heads and relations, in order; `workers` do not change the result.

        Warns
        -----
        ParserWarning
            Once, with a count, if sentences have no tags though the model has learnt from tags, or mostly unknown ones.
        """
        chosen = as_sentences(sentences, "parse")
        self._warn_of_tags(chosen)
        if workers > 1 and len(chosen) > 1:
            from nlp.deps.workers import parse_in_processes

            found = parse_in_processes(self, chosen, workers)
        else:
            found = [self.analyse(sentence) for sentence in chosen]
        return [analysis.on(sentence) for sentence, analysis in zip(chosen, found, strict=True)]

    def analyse(self, sentence: Sentence) -> Analysis:
        """Return the predicted tree of a sentence."""
        if not len(sentence):
            return Analysis(np.zeros(0, dtype=np.int64))
        model = self._fitted()
        found: Analysis = model.decode(model.of(sentence), self.settings["decoder"])
        return found

    def marginals(self, sentence: Sentence, *, labels: bool = False) -> Any:
        """Return (n + 1, n): the belief that h is the head of word m, at [h, m - 1]; pruned arcs have 0.

        Columns sum to 1 if the tree constraint has the last word: not in the schedule "parallel", nor with weaker
        constraints, nor quite with damping.

        Parameters
        ----------
        labels : give the beliefs by relation instead: a dict of such arrays, which sum to the above
        """
        (sentence,) = as_sentences([sentence], "marginals")
        self._warn_of_tags([sentence])
        model = self._fitted()
        n = len(sentence)
        if labels and model.relations is None:
            raise ParserError("the model has no relations; leave labels out")
        names = model.relations.names if labels and model.relations is not None else ()
        if not n:
            return {name: np.zeros((1, 0)) for name in names} if labels else np.zeros((1, 0))
        instance = model.of(sentence)
        beliefs, parts = model.run(instance).beliefs, instance.parts
        if not labels:
            return parts.matrix(beliefs[1 : 2 * len(parts) : 2], 0.0)[:, 1:]
        assert instance.relations is not None
        pairs, arcs = instance.relations, instance.relations.arcs
        found = np.zeros((len(names), n + 1, n))
        found[pairs.labels, parts.heads[arcs], parts.modifiers[arcs] - 1] = beliefs[2 * len(parts) :]
        return dict(zip(names, found, strict=True))

    def best_parses(self, sentence: Sentence, k: int = 10) -> list[tuple[float, Analysis]]:
        """Return the k best parses with their scores, best first.

        A first-order model scores a tree by the sum of its arcs' scores; in a second-order model, whose trees have no
        such sum that could be searched, by the expected number of its arcs that are right.
        """
        (sentence,) = as_sentences([sentence], "best_parses")
        self._warn_of_tags([sentence])
        model = self._fitted()
        if not len(sentence):
            return [(0.0, Analysis(np.zeros(0, dtype=np.int64)))]
        if len(self.kinds) == 1 and not model.labelled_kinds:  # trees, whatever the constraint is in inference
            trees = evolve(model, constraint=ConstraintSettings())
            return trees.run(trees.of(sentence)).kbest(k)
        instance = model.of(sentence)
        arcs = 2 * len(instance.parts)
        beliefs = model.run(instance).beliefs
        by_arcs = evolve(model, kinds=(Arcs(),), labelled_kinds=(), constraint=ConstraintSettings(), relations=None)
        expected = by_arcs.of(sentence, instance.parts).run({"arc": beliefs[1:arcs:2]})
        return [(score, instance.space.labelled(tree.heads, beliefs[arcs:])) for score, tree in expected.kbest(k)]

    def using(self, **options: Any) -> "DependencyParser":
        """Return a parser with the same weights that decodes or infers in another way.

        Parameters
        ----------
        options : of trees, constraint, inference and decoder; what parts are scored belongs to the weights, and cannot
            be changed

        Examples
        --------
        >>> sentences = [Sentence.from_words(["a", "dog", "barks"], tags=["D", "N", "V"], heads=[2, 3, 0])] * 4
        >>> parser = DependencyParser(epochs=5, bits=12).fit(sentences)
        >>> parser.using(decoder="map", iterations=8).parse(sentences[:1])[0].heads.tolist()
        [2, 3, 0]
        """
        changed = copy(self)
        changed.settings = self.settings | parser_options(*CHANGEABLE).change(self.settings, options)
        changed._asked = changed.settings
        changed._check()
        if self.model is not None:
            changed.model = evolve(
                self.model, tree=changed.settings["tree"], constraint=changed.settings["constraint"],
                inference=changed.settings["inference"],
            )  # fmt: skip
        return changed

    def score(self, sentences: Iterable[Sentence], *, workers: int = 1) -> Evaluation:
        """Parse sentences with gold heads, and compare."""
        gold = as_sentences(sentences, "score")
        return evaluate(gold, self.parse(gold, workers=workers))

    def _warn_of_tags(self, sentences: list[Sentence]) -> None:
        message = unfamiliar(self._fitted().scorer.vocabulary, sentences)
        if message is not None:
            warnings.warn(message, ParserWarning, stacklevel=3)

    def _fitted(self) -> DependencyModel:
        if self.model is None:
            raise ParserError("the parser has no weights yet: call fit, or load a model")
        return self.model

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, at once or not at all."""
        save_parser(self, self._fitted(), path)

    def describe(self) -> dict[str, Any]:
        """Return all settings by what they belong to, and the templates, as plain values."""
        return describe(self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "DependencyParser":
        """Read a model from a file.

        Raises
        ------
        ModelFileError
            If it is none, or damaged, or of another version: one line that names the file.
        """
        return load_parser(cls, path)
