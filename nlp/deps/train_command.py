"""The command `tacana train`."""

import os
import time
import warnings
from typing import Any

import click

from autodiff.click_options import add_options, given_options
from nlp.deps.options import parser_options
from nlp.deps.refusal import refuse_same
from nlp.limit_option import limit_option
from pgm.shell.entry_point import on_interrupt

__all__ = ["train"]


@click.command()
@click.option("--train", "train_file", required=True, type=click.Path(), help="Treebank to learn from (.gz too).")
@click.option("--dev", "dev_file", type=click.Path(), help="Treebank that says when to stop.")
@click.option("--dev-fraction", type=click.FloatRange(0, 0.5), default=0.0, help="Instead: a share of --train.")
@click.option("--model", "model_file", required=True, type=click.Path(), help="File to write.")
@add_options(parser_options())
@click.option("--templates", "template_file", type=click.Path(), help="Feature templates in place of the default ones.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes that parse --dev.")
@click.option("--resume", is_flag=True, help="Go on from the checkpoint of a run that was stopped.")
@limit_option
def train(
    train_file: str, dev_file: str | None, dev_fraction: float, model_file: str, template_file: str | None,
    workers: int, resume: bool, max_megabytes: float, **options: Any,
) -> None:  # fmt: skip
    """Train a dependency parser on a treebank, and write it to a file.

    The treebank is CoNLL-X, CoNLL-2009 or CoNLL-U.  After each epoch the best model so far is in --model, and a
    checkpoint beside it; what happens is told on standard error.
    """
    from autodiff.files import check_writable
    from nlp.conll import Limits, Sentence, read_all
    from nlp.deps.errors import ParserError
    from nlp.deps.parser import DependencyParser
    from nlp.deps.templates import template_roles
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
    templates = None if template_file is None else read_templates(template_file, roles=template_roles())
    parser = DependencyParser(templates=templates, **given_options(parser_options(), options))
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
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
        parser.fit(sentences, dev, report=say, progress=True, workers=workers, save_to=model_file, resume=resume)
    say(f"wrote {model_file} after {time.perf_counter() - started:.0f} s")
