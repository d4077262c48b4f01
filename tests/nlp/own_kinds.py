"""Kinds of a user's own: a script in which they meet the command line, and come back from a model file.

`python tests/nlp/own_kinds.py FOLDER` (with the repository and `tests` on the path).
"""

import sys
from pathlib import Path

import numpy as np
from attrs import evolve, frozen

from autodiff.named import setting
from autodiff.optimizers import SGD
from nlp.deps.inference import LoopyInference
from pgm.learning import Decoder, Objective
from pgm.learning.objective import ObjectiveValue


@frozen
class Perceptron(Objective):
    """The difference of the best and the gold tree, by arcs alone."""

    name = "perceptron"
    margin: float = setting(default=0.0, kw_only=True, help="Added to the loss.")

    def evaluate(self, instance, scores, *, progress=0.0):
        best = instance.parts.indicator(instance.run(scores).best().heads)
        gold = instance.targets[1 : 2 * len(instance.parts) : 2]
        return ObjectiveValue(float(np.abs(best - gold).sum()) + self.margin, {"arc": best - gold})


@frozen
class SlowSGD(SGD):
    """Gradient descent, a share of it."""

    name = "slow-sgd"
    slowness: float = setting(default=1.0, kw_only=True, help="By which the learning rate is divided.")

    def at_rate(self, rate):
        return evolve(self, learning_rate=rate / self.slowness)


@frozen
class Chain(Decoder):
    """The right-branching tree, whatever the scores are."""

    name = "chain"
    offset: int = setting(default=0, kw_only=True, help="Of nothing.")

    def decode(self, instance, scores):
        return instance.space.labelled(np.arange(instance.parts.n), scores.get("relation", np.zeros(0)))


@frozen(kw_only=True)
class OneIteration(LoopyInference):
    """Belief propagation, once."""

    name = "once"
    iterations: int = setting(default=1, help="Of belief propagation.")
    quietly: bool = setting(default=False, help="Say nothing.")


def main(folder: Path) -> None:
    from click.testing import CliRunner

    from nlp.command import main as command
    from nlp.conll import read_all, write_sentences
    from nlp.deps import DependencyParser
    from oracles.sentences import invented_sentences

    def run(*arguments: object) -> str:
        result = CliRunner().invoke(command, [str(argument) for argument in arguments])
        assert result.exit_code == 0, result.output
        return result.output

    help_text = " ".join(run("train", "--help").split())
    for text in (
        "--margin FLOAT",
        "--slowness FLOAT",
        "--quietly",
        "|perceptron|",
        "slow-sgd",
        "By which the learning",
    ):
        assert text in help_text, text
    sentences = invented_sentences(20)
    write_sentences(sentences, folder / "train.conll")
    run(
        "train", "--train", folder / "train.conll", "--model", folder / "m.tacana", "--bits", 12, "--epochs", 6,
        "--objective", "l2+perceptron", "--margin", 0.25, "--update", "slow-sgd", "--slowness", 2, "--decoder", "chain",
        "--inference", "once", "--quietly", "--learning-rate", 0.1,
    )  # fmt: skip
    about = run("info", folder / "m.tacana")
    for text in ("perceptron, margin 0.25", "slow-sgd", "slowness 2.0", "decoder: name chain", "name once", "quietly"):
        assert text in about, (text, about)
    parser = DependencyParser.load(folder / "m.tacana")
    assert parser.settings["objective"][1] == Perceptron(margin=0.25)
    assert parser.settings["inference"] == OneIteration(quietly=True)
    assert [epoch.stage for epoch in parser.history.epochs] == ["l2"] * 3 + ["perceptron"] * 3
    assert parser.analyse(sentences[0]).heads.tolist() == list(range(len(sentences[0])))
    assert parser.using(decoder="mbr").score(sentences).uas > 80
    parsed = run("parse", "--model", folder / "m.tacana", "--decoder", "mbr", folder / "train.conll")
    (folder / "parsed.conll").write_text(parsed.split("20 sentences")[0])
    assert len(read_all(folder / "parsed.conll")) == 20


if __name__ == "__main__":
    main(Path(sys.argv[1]))
