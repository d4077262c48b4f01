"""The command `tacana train`."""

import os
import time
from typing import Any

import click

from nlp.deps.options import inference_options, switch
from nlp.deps.refusal import refuse_same
from nlp.limit_option import limit_option
from pgm.shell.entry_point import on_interrupt

__all__ = ["train"]


def _rate(text: str) -> float | str:
    from nlp.deps.errors import ParserError

    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise ParserError(f"--learning-rate is a number or 'auto', not {text!r}") from None


@click.command()
@click.option("--train", "train_file", required=True, type=click.Path(), help="Treebank to learn from (.gz too).")
@click.option("--dev", "dev_file", type=click.Path(), help="Treebank that says when to stop.")
@click.option("--dev-fraction", type=click.FloatRange(0, 0.5), default=0.0, help="Instead: a share of --train.")
@click.option("--model", "model_file", required=True, type=click.Path(), help="File to write.")
@click.option("--order", type=click.Choice(["1", "2"]), default="2", show_default=True, help="Arcs, or pairs as well.")
@click.option("--tree", type=click.Choice(["projective", "nonprojective"]), default="projective", show_default=True,
              help="What trees may be.")  # fmt: skip
@click.option("--objective", type=click.Choice(["cll", "l2", "risk", "l2+risk"]), default="l2", show_default=True,
              help="Likelihood, distance of beliefs, annealed risk.")  # fmt: skip
@click.option("--roots", type=click.Choice(["one", "any"]), help="Words under the root; as in the data by default.")
@inference_options(defaults=True)
@switch("grandparents", True, "Factors for grandparents.")
@switch("siblings", True, "Factors for all pairs of siblings.")
@switch("childseq", False, "Factors for the sequence of a head's children.")
@switch("nocross", False, "Factors for two words whose arcs cross (nonprojective).")
@switch("tree-first", True, "Let the tree speak before all other factors.")
@switch("two-cycles", True, "With a weaker constraint: allow h → m with m → h.")
@switch("pruning", True, "Prune arcs first (second order).")
@click.option("--folds", type=click.IntRange(1), default=4, show_default=True, help="Jackknife folds of the pruner.")
@switch("bounds", False, "Also prune arcs longer than any seen for their tags.")
@click.option("--threshold", type=click.FloatRange(0, 1, min_open=True), default=1e-4, show_default=True,
              help="Heads below so much of a word's best are pruned.")  # fmt: skip
@click.option("--most-heads", type=click.IntRange(1), default=10, show_default=True, help="Heads of a word left.")
@click.option("--epochs", type=click.IntRange(1), default=10, show_default=True, help="At most so many.")
@click.option("--patience", type=click.IntRange(1), default=3, show_default=True, help="Epochs without a better score.")
@click.option("--batch-size", type=click.IntRange(1), default=8, show_default=True, help="Sentences in a step.")
@click.option("--learning-rate", default="0.01", show_default=True, help='A number, or "auto": chosen on a sample.')
@click.option("--l2", "regularisation", type=click.FloatRange(0), default=0.1, show_default=True, help="Coefficient λ.")
@click.option("--forgetting", type=click.FloatRange(0), default=1.0, show_default=True,
              help="Take rare words for unknown ones at times, in training.")  # fmt: skip
@click.option("--bits", type=click.IntRange(8, 28), default=22, show_default=True, help="2^bits weights.")
@click.option("--templates", "template_file", type=click.Path(), help="Feature templates in place of the default ones.")
@switch("average", True, "Parse with the mean of the weights of many steps.")
@click.option("--average-after", type=click.IntRange(0), default=2, show_default=True,
              help="Begin the mean anew after so many epochs.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the order of sentences.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes that parse --dev.")
@click.option("--resume", is_flag=True, help="Go on from the checkpoint of a run that was stopped.")
@limit_option
def train(
    train_file: str, dev_file: str | None, dev_fraction: float, model_file: str, template_file: str | None,
    pruning: bool, folds: int, most_heads: int, bounds: bool, threshold: float, learning_rate: str, two_cycles: bool,
    regularisation: float, order: str, workers: int, resume: bool, max_megabytes: float, **options: Any,
) -> None:  # fmt: skip
    """Train a dependency parser on a treebank, and write it to a file.

    The treebank is CoNLL-X, CoNLL-2009 or CoNLL-U.  After each epoch the best model so far is in --model, and a
    checkpoint beside it; what happens is told on standard error.
    """
    from nlp.conll import Limits, Sentence, read_all
    from nlp.deps.errors import ParserError
    from nlp.deps.model_file import check_writable
    from nlp.deps.parser import DependencyParser
    from nlp.deps.pruning import PruningSettings
    from nlp.features import read_templates

    def say(line: str) -> None:
        click.echo(line, err=True)

    def stopped() -> str:
        kept = os.path.exists(f"{model_file}.checkpoint")
        return f"stopped; {'the same command with --resume goes on' if kept else 'before the end of the first epoch'}"

    on_interrupt(stopped)
    if dev_file is not None and dev_fraction > 0:
        raise ParserError("give --dev or --dev-fraction, not both")
    if not dev_fraction >= 0:
        raise ParserError(f"--dev-fraction is a number from 0 to 0.5, not {dev_fraction}")
    check_writable(model_file)
    refuse_same(model_file, train_file, dev_file, template_file)
    started = time.perf_counter()

    def read(path: str) -> list[Sentence]:
        limits = Limits(megabytes=max_megabytes)
        return read_all(path, on_warning=lambda message: say(f"warning: {message}"), limits=limits)

    sentences = read(train_file)
    dev = None if dev_file is None else read(dev_file)
    if dev is None and dev_fraction > 0:
        every = round(1 / dev_fraction)
        dev, sentences = sentences[::every], [s for i, s in enumerate(sentences) if i % every]
    say(f"{len(sentences)} sentences to train on, {len(dev or [])} for development")
    templates = None if template_file is None else read_templates(template_file)
    try:
        how = PruningSettings(folds=folds, most=most_heads, bounds=bounds, threshold=threshold)
        parser = DependencyParser(
            order=int(order), no_two_cycle=not two_cycles, l2=regularisation, templates=templates,
            pruning=how if pruning and order == "2" else None, learning_rate=_rate(learning_rate), **options,
        )  # fmt: skip
    except ValueError as error:
        raise ParserError(str(error)) from None
    parser.fit(sentences, dev, report=say, progress=True, workers=workers, save_to=model_file, resume=resume)
    say(f"wrote {model_file} after {time.perf_counter() - started:.0f} s")
