"""Hashed features: nanoseconds a feature, milliseconds a sentence, and the cost of an update."""

import os
from pathlib import Path

import numpy as np

from autodiff import HashedParameter, Parameter
from autodiff.optimizers import AdaGrad, GradientBuffer
from autodiff.sparse import SparseAdjoint
from bench.parsing_graph import candidates
from bench.timing import Table, race
from nlp.conll import Sentence, read_sentences
from nlp.deps import default_templates
from nlp.features import FeatureHasher, Vocabulary
from oracles.features import random_sentences

__all__ = ["run"]

# A folder of treebanks; without it the sentences are made up.
DATA = Path(os.environ.get("TACANA_DATA", "../shared/data"))
TREEBANK = DATA / "ud-english-ewt"
WORDS, BITS, SENTENCES = 30, 22, 8


def sentences() -> tuple[list[Sentence], list[Sentence], str]:
    """Return training sentences, sentences of 30 words, and where they come from."""
    train, dev = TREEBANK / "en_ewt-ud-train.conllu.gz", TREEBANK / "en_ewt-ud-dev.conllu.gz"
    if train.exists() and dev.exists():
        found = [sentence for sentence in read_sentences(dev) if len(sentence) == WORDS]
        return list(read_sentences(train)), found[:SENTENCES], "EWT dev"
    drawn = random_sentences(3000, np.random.default_rng(0), longest=WORDS)
    return drawn, [sentence for sentence in drawn if len(sentence) == WORDS][:SENTENCES], "made-up"


def parts(rng: np.random.Generator) -> dict[str, tuple[str, list[np.ndarray]]]:
    """Return all arcs, 300 arcs (10 heads a word), and all pairs of those."""
    every = [(h, m) for h in range(WORDS + 1) for m in range(1, WORDS + 1) if h != m]
    heads, modifiers = candidates(WORDS, 10, rng)
    above, below = np.nonzero(modifiers[:, None] == heads[None, :])
    straight = heads[above] != modifiers[below]
    above, below = above[straight], below[straight]
    one, other = np.nonzero((heads[:, None] == heads[None, :]) & (modifiers[:, None] < modifiers[None, :]))
    arcs = list(np.array(every).T)
    return {
        "pruner, all arcs": ("pruner", arcs),
        "arc, all arcs": ("arc", arcs),
        "arc, 10 heads a word": ("arc", [heads, modifiers]),
        "grandparent": ("grandparent", [heads[above], modifiers[above], modifiers[below]]),
        "sibling": ("sibling", [heads[one], modifiers[one], modifiers[other]]),
    }


def run() -> None:
    train, chosen, source = sentences()
    vocabulary = Vocabulary.fit(train)
    encoded = [vocabulary.encode(sentence) for sentence in chosen]
    rng = np.random.default_rng(0)
    weights, buffer = rng.normal(size=1 << BITS), GradientBuffer(1 << BITS, memory=np.zeros((1 << BITS, 4)))
    small = weights.astype(np.float32)
    table = Table("part", "templates", "parts", "features", "prepare", "extract", "score", "score, float32",
                  "accumulate", "extract/feature", "score/feature", "accumulate/feature")  # fmt: skip
    for name, (which, positions) in parts(rng).items():
        hasher = FeatureHasher(default_templates()[which].without(vocabulary.absent), bits=BITS)
        prepared = [hasher.prepare(sentence) for sentence in encoded]
        features = np.mean([len(each.extract(*positions)[0]) for each in prepared])
        adjoint = rng.normal(size=len(positions[0]))

        def accumulate(prepared=prepared, adjoint=adjoint, positions=positions):
            buffer.used = 0  # the list only: the sums go on
            for each in prepared:
                each.accumulate(adjoint, buffer, *positions)

        best = race(
            {
                "prepare": lambda h=hasher: [h.prepare(sentence) for sentence in encoded],
                "extract": lambda p=prepared, x=positions: [each.extract(*x) for each in p],
                "score": lambda p=prepared, x=positions: [each.score(weights, *x) for each in p],
                "float32": lambda p=prepared, x=positions: [each.score(small, *x) for each in p],
                "accumulate": accumulate,
            }
        )
        times = {key: value / len(prepared) for key, value in best.items()}
        table.add(
            name, len(hasher.templates), len(positions[0]), int(features),
            *(f"{times[key] * 1e3:.3f} ms" for key in ("prepare", "extract", "score", "float32", "accumulate")),
            *(f"{times[key] / features * 1e9:.1f} ns" for key in ("extract", "score", "accumulate")),
        )  # fmt: skip
    encode = race({"encode": lambda: [vocabulary.encode(sentence) for sentence in chosen]})["encode"] / len(chosen)
    print(f"Features of a sentence of {WORDS} words ({source}), 2^{BITS} slots; to integers {encode * 1e6:.0f} µs")
    print(table, end="\n\n")
    _updates(rng)


def _updates(rng: np.random.Generator, touched: int = 200_000) -> None:
    slots = 1 << BITS
    table = Table("λ", "slots touched", "buffer and step", "a slot", "on an array", "ratio")
    for l2 in (0.0, 1e-6):
        optimizer = AdaGrad(0.1, l2=l2)
        hashed = optimizer.store({"w": HashedParameter("w", slots)}, average=True)
        plain = optimizer.store({"w": Parameter("w", np.zeros(slots))})
        indices, values = rng.permutation(slots)[:touched], rng.normal(size=touched)

        def compiled(hashed=hashed, indices=indices, values=values):
            hashed.buffer("w").add(indices, values)
            hashed.step()

        gradient = SparseAdjoint(indices, values, (slots,))

        def general(plain=plain, gradient=gradient):
            plain.add("w", gradient)
            plain.step()

        best = race({"hashed": compiled, "plain": general})
        table.add(l2, touched, f"{best['hashed'] * 1e3:.2f} ms", f"{best['hashed'] / touched * 1e9:.0f} ns",
                  f"{best['plain'] * 1e3:.2f} ms", f"{best['plain'] / best['hashed']:.1f}")  # fmt: skip
    print(f"Updates of 2^{BITS} hashed weights")
    print(table, end="\n\n")
