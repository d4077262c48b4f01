"""The parser on one core: words a second by order and iterations, where the time goes, and growth with length.

CPU time, not wall time: the machine is shared.  Needs the English treebank of `../shared/data`.
"""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nlp.deps.decoding import minimum_risk
from nlp.deps.training import Example, Training, TrainingSettings

from bench.timing import Table
from nlp.conll import Sentence, read_all
from nlp.deps import DependencyParser
from nlp.deps.inference import infer

__all__ = ["run", "treebank"]

DATA = Path(os.environ.get("TACANA_DATA", "../shared/data")) / "ud-english-ewt"
ITERATIONS = (1, 2, 4, 8)
LENGTHS = (10, 20, 40, 70, 100)


def treebank(part: str) -> Path:
    """Return the file of a part of EWT."""
    return DATA / f"en_ewt-ud-{part}.conllu.gz"


def run() -> None:
    if not treebank("train").exists():
        print(f"parser: there is no {treebank('train')}; set TACANA_DATA to the folder of treebanks\n")
        return
    train, dev = read_all(treebank("train")), read_all(treebank("dev"))
    parsers = {order: DependencyParser(order=order, epochs=1).fit(train) for order in (1, 2)}
    _speeds(parsers, dev)
    _shares(parsers, dev)
    _growth(parsers, dev)


def cpu_seconds(run: Callable[[], Any], turns: int = 3) -> float:
    """Return the least CPU time of some calls."""
    times = []
    for _ in range(turns):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return min(times)


def _speeds(parsers: dict[int, DependencyParser], dev: list[Sentence]) -> None:
    words = sum(map(len, dev))
    table = Table("order", "iterations", "parsing, sentences/s", "words/s", "training, sentences/s", "words/s", "ratio")
    for order, iterations in [(1, 1), *((2, count) for count in ITERATIONS)]:
        parser = parsers[order].using(iterations=iterations)
        assert parser.scorer is not None
        assert parser.pruner is not None
        parser.parse(dev[:20])
        parsing = cpu_seconds(lambda p=parser: p.parse(dev))
        examples = [Example.of(s, parser.pruner.candidates(s), parser.model, "l2") for s in dev]
        training = Training(parser.scorer, parser.model, TrainingSettings(), examples, 0.02)
        learning = cpu_seconds(training.run_epoch, turns=2)
        table.add(
            order, iterations if order == 2 else "-",
            *(f"{count / seconds:,.0f}" for seconds in (parsing, learning) for count in (len(dev), words)),
            f"{learning / parsing:.1f}",
        )  # fmt: skip
    print(f"Parsing and training (L2, an epoch, without pruning) on EWT dev, {len(dev)} sentences, {words} words")
    print(table, end="\n\n")


def _timed_parse(parser: DependencyParser, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Parse as `DependencyParser.heads` does, and return the CPU time of each step."""
    scorer, pruner, weights = parser._fitted()
    spent: dict[str, float] = defaultdict(float)

    def step(name: str, call: Callable[[], Any]) -> Any:
        started = time.process_time()
        result = call()
        spent[name] += time.process_time() - started
        return result

    for sentence in sentences:
        encoded = step("features", lambda s=sentence: scorer.encode(s))
        parts = step("pruning", lambda s=sentence, e=encoded: pruner.candidates(s, e))
        prepared = step("features", lambda e=encoded: scorer.prepare(e))
        scores = step("features", lambda x=prepared, p=parts: scorer.scores(x, p, weights))
        beliefs = step("inference", lambda s=scores, p=parts: infer(p, parser.model, s).beliefs)
        step("decoding", lambda b=beliefs, p=parts: minimum_risk(p, parser.model, b))
    return spent


def _shares(parsers: dict[int, DependencyParser], dev: list[Sentence]) -> None:
    steps = ["pruning", "features", "inference", "decoding"]
    table = Table("order", "iterations", *steps)
    for order, iterations in [(1, 1), *((2, count) for count in ITERATIONS)]:
        spent = _timed_parse(parsers[order].using(iterations=iterations), dev)
        total = sum(spent.values())
        shares = (f"{100 * spent[name] / total:.0f} %" for name in steps)
        table.add(order, iterations if order == 2 else "-", *shares)
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
