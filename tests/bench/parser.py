"""The parser on one core: words a second by order, relations and iterations, where the time goes, growth with length.

CPU time, not wall time: the machine is shared.  Needs the English treebank of `../shared/data`.
"""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.timing import Table
from nlp.conll import Sentence, read_all
from nlp.deps import Analysis, DependencyParser
from pgm.learning.training_run import TrainingRun

__all__ = ["run", "treebank"]

DATA = Path(os.environ.get("TACANA_DATA", "../shared/data")) / "ud-english-ewt"
ITERATIONS = (1, 2, 4, 8)
LENGTHS = (10, 20, 40, 70, 100)
Parsers = dict[tuple[int, str], DependencyParser]
"""By order, and what is done with relations."""


def treebank(part: str) -> Path:
    """Return the file of a part of EWT."""
    return DATA / f"en_ewt-ud-{part}.conllu.gz"


def run() -> None:
    if not treebank("train").exists():
        print(f"parser: there is no {treebank('train')}; set TACANA_DATA to the folder of treebanks\n")
        return
    train, dev = read_all(treebank("train")), read_all(treebank("dev"))
    parsers = _trained(train, dev)
    _speeds(parsers, dev)
    _shares(parsers, dev)
    _growth({order: parser for (order, labels), parser in parsers.items() if labels == "sum"}, dev)


def cpu_seconds(run: Callable[[], Any], turns: int = 3) -> float:
    """Return the least CPU time of some calls."""
    times = []
    for _ in range(turns):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return min(times)


def _trained(train: list[Sentence], dev: list[Sentence]) -> Parsers:
    table = Table("order", "relations", "an epoch, with its pruner", "UAS of dev", "LAS of dev")
    parsers: Parsers = {}
    for order in (1, 2):
        for labels in ("none", "sum"):
            parsers[order, labels] = parser = DependencyParser(order=order, labels=labels, epochs=1)
            seconds = cpu_seconds(lambda p=parser: p.fit(train), turns=1)
            found = parser.score(dev)
            las = "-" if labels == "none" else f"{found.las:.2f}"
            table.add(order, labels, f"{seconds:.0f} s", f"{found.uas:.2f}", las)
    print(f"One epoch on EWT train, {len(train)} sentences")
    print(table, end="\n\n")
    return parsers


def _at_iterations(parsers: Parsers) -> list[tuple[tuple[int, str, object], DependencyParser]]:
    """Return parsers by order, relations and iterations: all of these with relations, some without."""
    found: list[tuple[tuple[int, str, object], DependencyParser]] = []
    for (order, labels), parser in parsers.items():
        counts = [4] if labels == "none" else ITERATIONS
        found += [((order, labels, "-"), parser)] if order == 1 else [
            ((order, labels, count), parser.using(iterations=count)) for count in counts
        ]  # fmt: skip
    return found


def _speeds(parsers: Parsers, dev: list[Sentence]) -> None:
    words = sum(map(len, dev))
    columns = ("parsing, sentences/s", "words/s", "training, sentences/s", "words/s", "ratio")
    table = Table("order", "relations", "iterations", *columns)
    for about, parser in _at_iterations(parsers):
        model, settings = parser.model, parser.settings
        assert model is not None
        parser.parse(dev[:20])
        parsing = cpu_seconds(lambda p=parser: p.parse(dev))
        instances = [model.of(sentence, gold=Analysis.of(sentence)) for sentence in dev]
        trainer = settings["learning"].trainer(settings["objective"], settings["update"], len(dev))
        kept = {name: parameter.read() for name, parameter in model.parameters().items()}
        for name, parameter in model.parameters().items():
            parameter.value = kept[name].astype(np.float64)
        learning = cpu_seconds(TrainingRun(trainer, model, instances).run_epoch, turns=2)
        for name, parameter in model.parameters().items():
            parameter.value = kept[name]
        table.add(
            *about, *(f"{count / seconds:,.0f}" for seconds in (parsing, learning) for count in (len(dev), words)),
            f"{learning / parsing:.1f}",
        )  # fmt: skip
    print(f"Parsing and training (L2, an epoch, without pruning) on EWT dev, {len(dev)} sentences, {words} words")
    print(table, end="\n\n")


def _timed_parse(parser: DependencyParser, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Parse as `DependencyParser.analyse` does, and return the CPU time of each step."""
    model = parser.model
    assert model is not None
    spent: dict[str, float] = defaultdict(float)

    def step(name: str, call: Callable[[], Any]) -> Any:
        started = time.process_time()
        result = call()
        spent[name] += time.process_time() - started
        return result

    for sentence in sentences:
        encoded = step("features", lambda s=sentence: model.scorer.encode(s))
        parts = step("pruning", lambda s=sentence, e=encoded: model.candidates(s, e))
        instance = step("features", lambda s=sentence, p=parts, e=encoded: model.of(s, p, encoded=e))
        scores, _ = step("features", lambda i=instance: model.scorer.score(i))
        beliefs = step("inference", lambda i=instance, x=scores: i.run(x).beliefs)
        step("decoding", lambda i=instance, b=beliefs: i.space.search(b))
    return spent


def _shares(parsers: Parsers, dev: list[Sentence]) -> None:
    steps = ["pruning", "features", "inference", "decoding"]
    table = Table("order", "relations", "iterations", *steps)
    for about, parser in _at_iterations(parsers):
        spent = _timed_parse(parser, dev)
        total = sum(spent.values())
        table.add(*about, *(f"{100 * spent[name] / total:.0f} %" for name in steps))
    print("Where the time of parsing goes")
    print(table, end="\n\n")


def _growth(parsers: dict[int, DependencyParser], dev: list[Sentence]) -> None:
    table = Table("words", "first order", "words/s", "growth", "second order, 4 iterations", "words/s", "growth")
    before: dict[int, tuple[int, float]] = {}
    for length in LENGTHS:
        sentences = _of_length(length, dev, 20)
        cells: list[str] = []
        for order, parser in parsers.items():
            parser.parse(sentences[:1])
            seconds = cpu_seconds(lambda p=parser, s=sentences: p.parse(s), turns=5) / len(sentences)
            known = before.get(order)
            grown = "-" if known is None else f"{seconds / known[1]:.1f} for {length / known[0]:.2g} ×"
            before[order] = length, seconds
            cells += [f"{seconds * 1e3:.2f} ms", f"{length / seconds:,.0f}", grown]
        table.add(length, *cells)
    print("A sentence by its length (sentences of EWT dev, put together)")
    print(table, end="\n\n")


def _of_length(length: int, dev: list[Sentence], count: int) -> list[Sentence]:
    """Return sentences of just so many words: those of the treebank one after another, cut."""
    columns = {
        name: [value for sentence in dev for value in getattr(sentence, name)]
        for name in ("forms", "tags", "coarse_tags", "lemmas", "feats")
    }
    return [
        Sentence.from_words(**{name: values[i * length : (i + 1) * length] for name, values in columns.items()})
        for i in range(count)
    ]
