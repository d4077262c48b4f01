"""The tables of docs/results.md: CLL and L2, first and second order, 1 to 8 iterations, on whole treebanks.

`python -m tests.bench.treebanks danish spanish english [--objective l2] [--iterations 0 4] [--seed 0]`: a line for each
model with its UAS and LAS, 0 iterations for first order; an hour or two for all.  Needs `../shared/data` (or
TACANA_DATA).
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

from nlp.conll import Sentence, read_all
from nlp.deps import DependencyParser

__all__ = ["LANGUAGES"]

DATA = Path(os.environ.get("TACANA_DATA", "../shared/data"))
Split = tuple[list[Sentence], list[Sentence], list[Sentence]]


def _held_out(sentences: list[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Return the sentences without every tenth, and every tenth: as `--dev-fraction 0.1` does."""
    return [sentence for i, sentence in enumerate(sentences) if i % 10], sentences[::10]


def danish() -> Split:
    """CoNLL-X, DDT."""
    folder = DATA / "conllx-danish-ddt"
    train, dev = _held_out(_read(folder / "danish_ddt_train.rebuilt.conll.gz"))
    return train, dev, _read(folder / "danish_ddt_test.conll.gz")


def spanish() -> Split:
    """CoNLL-X, Cast3LB: the first 206 sentences of its test file are for test, the others for training."""
    folder = DATA / "conllx-spanish-cast3lb"
    others = _read(folder / "esp.test.gz")
    train, dev = _held_out(_read(folder / "esp.train.gz") + others[206:])
    return train, dev, others[:206]


def english() -> Split:
    """UD, EWT."""
    train, dev, test = (_read(DATA / "ud-english-ewt" / f"en_ewt-ud-{part}.conllu.gz")
                        for part in ("train", "dev", "test"))  # fmt: skip
    return train, dev, test


LANGUAGES: dict[str, Callable[[], Split]] = {"danish": danish, "spanish": spanish, "english": english}


def _read(path: Path) -> list[Sentence]:
    return read_all(path, on_warning=lambda _: None)


def _row(language: str, split: Split, objective: str, iterations: int, seed: int, labels: str) -> str:
    train, dev, test = split
    order = {"order": 2, "iterations": iterations} if iterations else {"order": 1}
    started = time.process_time()
    parser = DependencyParser(objective=objective, seed=seed, labels=labels, **order).fit(train, dev)
    seconds = time.process_time() - started
    assert parser.history is not None
    best, every = parser.history.best, parser.history.epochs
    found = parser.score(test)
    return (
        f"{language:<8} {objective:<4} {f'{iterations} iterations' if iterations else 'first order':<13} "
        f"dev {every[best - 1].development:.2f} (epoch {best} of {len(every)}), "
        f"test UAS {found.uas:.2f} LAS {found.las or 0.0:.2f}, "
        f"without punctuation {found.uas_without_punctuation:.2f} {found.las_without_punctuation or 0.0:.2f}, "
        f"exact match {found.exact_match:.2f} {found.labelled_exact_match or 0.0:.2f}, {seconds:.0f} s of CPU time"
    )


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("languages", nargs="+", choices=sorted(LANGUAGES))
    options.add_argument("--objective", nargs="+", default=["cll", "l2"])
    options.add_argument("--iterations", nargs="+", type=int, default=[0, 1, 2, 4, 8])
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--labels", choices=["sum", "joint", "none"], default="sum")
    given = options.parse_args()
    for name in given.languages:
        treebank = LANGUAGES[name]()
        for loss in given.objective:
            for iterations in given.iterations:
                print(_row(name, treebank, loss, iterations, given.seed, given.labels), flush=True)
