"""The dependency parser: train it, parse with it, save it."""

import os
import warnings
from collections.abc import Callable, Iterable
from copy import copy
from typing import Any, Literal

import numpy as np
from attrs import evolve, fields_dict
from numpy.typing import NDArray

from nlp.conll import Sentence
from nlp.deps.checkpoint import Checkpoint
from nlp.deps.choices import as_bits, as_decoder, as_pruning, as_templates
from nlp.deps.decoding import Decoder, best_trees_of, minimum_risk
from nlp.deps.errors import ParserError, ParserWarning
from nlp.deps.fitting import fit_pruner, fit_weights
from nlp.deps.graphs import Scores
from nlp.deps.inference import infer
from nlp.deps.map_decoding import map_tree
from nlp.deps.model_file import check_writable
from nlp.deps.parser_file import describe, load_parser, save_parser
from nlp.deps.parts import Parts
from nlp.deps.progress import Progress
from nlp.deps.pruning import Pruner, PruningSettings, jackknife, oracle
from nlp.deps.scorer import Scorer
from nlp.deps.sentences import as_sentences, fingerprint, say_what_does_not_fit, unfamiliar, usable
from nlp.deps.settings import ModelSettings
from nlp.deps.training import Epoch, TrainingSettings
from nlp.evaluation import Evaluation, evaluate
from nlp.features import TemplateSet, Vocabulary

__all__ = ["DependencyParser"]

Floats = NDArray[np.float64]
Report = Callable[[str], None]

_CHANGEABLE = {
    "iterations", "damping", "schedule", "tree_first", "inference", "constraint", "no_two_cycle", "roots", "tree",
}  # fmt: skip


class DependencyParser:
    """A graph-based parser: arcs and pairs of arcs, scored by hashed features, with beliefs by belief propagation.

    Parameters
    ----------
    order, tree, iterations, … : see `ModelSettings`; `roots` None means "one" if all training trees have one root
    objective, epochs, batch_size, learning_rate, l2, seed, … : see `TrainingSettings`
    pruning : how arcs are pruned, or None for all arcs; by default only a second-order model prunes
    bits : 2^bits weights
    templates : by kind ("arc", "grandparent", "sibling", "pruner"), in place of the default ones
    decoder : "mbr", "log-odds" or "map"

    Examples
    --------
    >>> sentences = [Sentence.from_words(["a", "dog", "barks"], tags=["D", "N", "V"], heads=[2, 3, 0])] * 4
    >>> parser = DependencyParser(order=1, epochs=5, bits=12, learning_rate=0.5).fit(sentences)
    >>> parser.parse(sentences[:1])[0].heads.tolist()
    [2, 3, 0]
    >>> parser.score(sentences).uas
    100.0
    """

    def __init__(
        self,
        *,
        roots: Literal["one", "any"] | None = None,
        pruning: PruningSettings | bool | Literal["default"] | None = "default",
        bits: int = 22,
        templates: dict[str, TemplateSet] | None = None,
        decoder: Decoder = "mbr",
        **options: Any,
    ) -> None:
        known = {**fields_dict(ModelSettings), **fields_dict(TrainingSettings)}
        unknown = set(options) - set(known)
        if unknown:
            every = sorted({*known, "pruning", "bits", "templates", "decoder"})
            raise TypeError(f"DependencyParser has no option {sorted(unknown)}; it has {every}")
        self._roots = roots
        self.model = ModelSettings(
            **{k: v for k, v in options.items() if k in fields_dict(ModelSettings)}, roots=roots or "one"
        )
        self.training = TrainingSettings(**{k: v for k, v in options.items() if k in fields_dict(TrainingSettings)})
        self.pruning = as_pruning(pruning, order=self.model.order)
        self.bits, self.decoder = as_bits(bits), as_decoder(decoder)
        self.templates = as_templates(templates)
        self.pruner: Pruner | None = None
        self.scorer: Scorer | None = None
        self.weights: NDArray[np.float32] | None = None
        self.history: list[Epoch] = []

    def __repr__(self) -> str:
        state = "not trained" if self.weights is None else "trained"
        return f"<DependencyParser: order {self.model.order}, {self.model.tree}, {self.training.objective}, {state}>"

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
        sentences = usable(as_sentences(train, "fit"), say)
        dev_sentences = None if dev is None else as_sentences(dev, "fit")
        if dev_sentences is not None and not dev_sentences:
            raise ParserError("there are no development sentences; leave `dev` out to train without them")
        if self._roots is None:
            single = all(int((s.heads == 0).sum()) == 1 for s in sentences)
            self.model = evolve(self.model, roots="one" if single else "any")
            say(f"roots: {'exactly one' if single else 'any number'}, as in the training data")
        say_what_does_not_fit(self.model, sentences, say)
        vocabulary = Vocabulary.fit(sentences)
        checkpoint = None
        if save_to is not None:
            about = {**self.describe(), "train": fingerprint(sentences), "dev": fingerprint(dev_sentences or [])}
            checkpoint = Checkpoint(f"{os.fspath(save_to)}.checkpoint", about)
            if resume:  # before the work: the checkpoint may be of another run, or the run may be over
                checkpoint.check(save_to)
        candidates = self._prune(vocabulary, sentences, say, progress=progress)
        self.scorer = self.make_scorer(vocabulary)

        def keep(weights: Floats, history: list[Epoch]) -> None:
            self.weights, self.history = weights.astype(np.float32), history
            if save_to is not None:
                self.save(save_to)

        def dev_score(weights: Floats) -> float:
            self.weights = weights.astype(np.float32)
            return self.score(dev_sentences or [], workers=workers).uas

        weights, history = fit_weights(
            self.scorer, self.model, self.training, sentences, candidates,
            dev_score=dev_score if dev_sentences else None, say=say, progress=progress, checkpoint=checkpoint,
            resume=resume, keep=keep,
        )  # fmt: skip
        keep(weights, history)
        if checkpoint is not None:
            checkpoint.remove()
        return self

    def _prune(self, vocabulary: Vocabulary, sentences: list[Sentence], say: Report, *, progress: bool) -> list[Parts]:
        if self.pruning is None:
            self.pruner = Pruner(PruningSettings(bounds=False, model=False), self.model)
            return [self.pruner.candidates(sentence) for sentence in sentences]
        settings = self.pruning

        folds = settings.folds if settings.model else 1
        with Progress("pruning", folds * settings.epochs * len(sentences), shown=progress) as bar:

            def fit(part: list[Sentence]) -> Pruner:
                return fit_pruner(
                    vocabulary, self.templates, self.bits, settings, self.model, self.training, part, bar.advance
                )  # fmt: skip

            self.pruner, candidates = jackknife(sentences, folds, fit)
        kept, heads = oracle(sentences, candidates)
        if kept < 98:
            say("warning: pruning takes away more than 2 % of the gold arcs; a looser threshold may pay")
        say(f"pruning: {kept:.2f} % of the gold arcs of the training data are left, {heads:.1f} heads a word")
        return candidates

    def make_scorer(self, vocabulary: Vocabulary) -> Scorer:
        """Return what scores parts, given the vocabulary of the training data: the door for other scorers."""
        return Scorer.of(vocabulary, self.templates, self.bits, self.model)

    # Parsing

    def parse(self, sentences: Iterable[Sentence], *, workers: int = 1) -> list[Sentence]:
        """Return the sentences with predicted heads, in order; the result does not depend on `workers`.

        Warns
        -----
        ParserWarning
            Once, with a count, if sentences have no tags though the model has learnt from tags, or mostly unknown ones.
        """
        self._fitted()
        chosen = as_sentences(sentences, "parse")
        self._warn_of_tags(chosen)
        if workers > 1 and len(chosen) > 1:
            from nlp.deps.workers import parse_in_processes

            heads = parse_in_processes(self, chosen, workers)
        else:
            heads = [self.heads(sentence) for sentence in chosen]
        return [s.with_heads(found, ["_"] * len(s)) for s, found in zip(chosen, heads, strict=True)]

    def heads(self, sentence: Sentence) -> NDArray[np.int64]:
        """Return (n,): the predicted head of each word."""
        if not len(sentence):
            return np.zeros(0, dtype=np.int64)
        parts, scores = self._scores(sentence)
        if self.decoder == "map":
            return map_tree(parts, self.model, scores)[1:]
        beliefs = infer(parts, self.model, scores).beliefs
        return minimum_risk(parts, self.model, beliefs, decoder=self.decoder)[1:]

    def marginals(self, sentence: Sentence) -> Floats:
        """Return (n + 1, n): the belief that h is the head of word m, at [h, m - 1]; pruned arcs have 0.

        Columns sum to 1 if the tree constraint has the last word: not in the schedule "parallel", nor with weaker
        constraints, nor quite with damping.
        """
        (sentence,) = as_sentences([sentence], "marginals")
        self._warn_of_tags([sentence])
        if not len(sentence):
            return np.zeros((1, 0))
        parts, scores = self._scores(sentence)
        return parts.matrix(infer(parts, self.model, scores).beliefs, 0.0)[:, 1:]

    def best_parses(self, sentence: Sentence, k: int = 10) -> list[tuple[float, NDArray[np.int64]]]:
        """Return the k best parses, as (score, heads (n,)), best first.

        A first-order model scores a tree by the sum of its arcs' scores; in a second-order model, whose trees have no
        such sum, by the expected number of its arcs that are right.
        """
        (sentence,) = as_sentences([sentence], "best_parses")
        self._warn_of_tags([sentence])
        if not len(sentence):
            return [(0.0, np.zeros(0, dtype=np.int64))]
        parts, scores = self._scores(sentence)
        values = scores["arc"] if self.model.order == 1 else infer(parts, self.model, scores).beliefs
        return [(score, heads[1:]) for score, heads in best_trees_of(parts, self.model, values, k)]

    def using(self, *, decoder: Decoder | None = None, **inference: Any) -> "DependencyParser":
        """Return a parser with the same weights that decodes or infers in another way.

        Parameters
        ----------
        decoder : as in the constructor
        inference : iterations, damping, schedule, tree_first, inference, constraint, no_two_cycle, roots, tree; what
            parts are scored belongs to the weights, and cannot be changed

        Examples
        --------
        >>> sentences = [Sentence.from_words(["a", "dog", "barks"], tags=["D", "N", "V"], heads=[2, 3, 0])] * 4
        >>> parser = DependencyParser(epochs=5, bits=12).fit(sentences)
        >>> parser.using(decoder="map", iterations=8).parse(sentences[:1])[0].heads.tolist()
        [2, 3, 0]
        """
        unknown = set(inference) - _CHANGEABLE
        if unknown:
            raise TypeError(f"`using` cannot change {sorted(unknown)}; it can change {sorted(_CHANGEABLE)} and decoder")
        changed = copy(self)
        changed.model = evolve(self.model, **inference)
        changed.decoder = self.decoder if decoder is None else as_decoder(decoder)
        return changed

    def score(self, sentences: Iterable[Sentence], *, workers: int = 1) -> Evaluation:
        """Parse sentences with gold heads, and compare."""
        gold = as_sentences(sentences, "score")
        return evaluate(gold, self.parse(gold, workers=workers))

    def _warn_of_tags(self, sentences: list[Sentence]) -> None:
        scorer, _, _ = self._fitted()
        message = unfamiliar(scorer.vocabulary, sentences)
        if message is not None:
            warnings.warn(message, ParserWarning, stacklevel=3)

    def _scores(self, sentence: Sentence) -> tuple[Parts, Scores]:
        scorer, pruner, weights = self._fitted()
        encoded = scorer.encode(sentence)  # the pruner has the same vocabulary
        parts = pruner.candidates(sentence, encoded)
        return parts, scorer.scores(scorer.prepare(encoded), parts, weights)

    def _fitted(self) -> tuple[Scorer, Pruner, Any]:
        if self.scorer is None or self.pruner is None or self.weights is None:
            raise ParserError("the parser has no weights yet: call fit, or load a model")
        return self.scorer, self.pruner, self.weights

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, at once or not at all."""
        save_parser(self, *self._fitted(), path)

    def describe(self) -> dict[str, Any]:
        """Return all settings, and how training went, as plain values."""
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
