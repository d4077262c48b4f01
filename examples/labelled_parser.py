"""A second-order dependency parser with relations: trained, tuned by risk, looked into, saved and loaded.

`DependencyParser` chooses features, pruning and the factor graph of a sentence; what it trains, `parser.model`, is a
structured model like any other.  So the second stage here is a `Trainer` with an `Objective` and an `Update` as in the
other examples: it takes the parser that L2 has made for one of fewer expected errors.

    python examples/labelled_parser.py                   # on the garden treebank that ships with the parser
    python examples/labelled_parser.py --full            # on English EWT, in ../shared/data (or TACANA_DATA)

FULL_RESULT
"""

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from autodiff.optimizers import AdaGrad
from nlp.conll import read_all
from nlp.deps import DependencyParser
from nlp.deps.demo.garden import garden
from pgm.learning import AnnealedRisk, L2Distance, MinimumBayesRisk, Trainer


def show(sentence, parser):
    """Print the most likely heads of each word of a sentence, with their relations and beliefs."""
    labelled = parser.marginals(sentence, labels=True)  # by relation, (n + 1, n)
    relations, beliefs = list(labelled), np.array(list(labelled.values()))
    words = ["(root)", *sentence.forms]
    for position, word in enumerate(sentence.forms):
        own = beliefs[:, :, position]
        best = np.argsort(-own, axis=None)[:2]
        found = [(relations[r], words[h], own[r, h]) for r, h in zip(*np.unravel_index(best, own.shape), strict=True)]
        print(f"  {word:<10}", ", ".join(f"{r} of {h} {b:.3f}" for r, h, b in found if b >= 0.01))


def main(full=False):
    """Train, and return the scores (UAS, LAS) on the development data before and after risk, and after loading."""
    if full:
        folder = Path(os.environ.get("TACANA_DATA", "../shared/data")) / "ud-english-ewt"
        train, dev = (read_all(folder / f"en_ewt-ud-{part}.conllu.gz") for part in ("train", "dev"))
        parser = DependencyParser(order=2, objective=[L2Distance()])
    else:
        train, dev = garden("train"), garden("dev")
        parser = DependencyParser(
            order=2, objective=[L2Distance()], iterations=2, bits=16, epochs=4, learning_rate=0.02, pruner_epochs=2
        )
    scores = []

    def report(what):
        found = parser.score(dev)
        scores.append((found.uas, found.las))
        print(f"{what}: UAS {found.uas:.2f}, LAS {found.las:.2f}")

    parser.fit(train, dev)
    report("L2")
    trainer = Trainer(AnnealedRisk(), AdaGrad(0.001, delta=0.125), epochs=2, batch_size=8, average=True)
    trainer.fit(parser.model, train, development=lambda: parser.score(dev).las)
    report("then risk")

    sentence = min(dev, key=lambda sentence: abs(len(sentence) - 8))
    show(sentence, parser)
    print(parser.model.decode(sentence, MinimumBayesRisk()))
    with tempfile.TemporaryDirectory() as folder:
        parser.save(Path(folder) / "parser.model")
        parser = DependencyParser.load(Path(folder) / "parser.model")
    report("loaded")
    return scores


if __name__ == "__main__":
    main(full="--full" in sys.argv)
