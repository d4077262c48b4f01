"""The commands `tacana parse` and `tacana info`."""

import sys
import time
import warnings
from typing import Any

import click

from autodiff.click_options import add_options, given_options
from nlp.deps.options import CHANGEABLE, parser_options
from nlp.deps.refusal import refuse_same
from nlp.limit_option import limit_option

__all__ = ["info", "parse"]


@click.command()
@click.option("--model", "model_file", required=True, type=click.Path(), help="File of `tacana train`.")
@click.argument("source", type=click.Path(), default="-")
@click.option("--output", type=click.Path(), default="-", help="File to write; standard output by default.")
@add_options(parser_options(*CHANGEABLE), defaults=False)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes that parse.")
@limit_option
def parse(model_file: str, source: str, output: str, workers: int, max_megabytes: float, **options: Any) -> None:
    """Parse the sentences of SOURCE (standard input by default) and write them with their heads and relations.

    SOURCE is CoNLL-X, CoNLL-2009 or CoNLL-U, plain or .gz.  Its heads (`_`, or numbers of words) and relations are
    not used; everything else is written back as it was.  Trees, inference and decoder are those of the model's training
    unless options say otherwise.
    """
    from autodiff.files import why_not_writable
    from nlp.conll import Limits, read_all, write_sentences
    from nlp.deps.errors import ParserError, ParserWarning
    from nlp.deps.parser import DependencyParser
    from nlp.deps.sentences import unfamiliar
    from pgm.shell.standard_output import ClosedStream

    if output != "-":
        refuse_same(output, model_file)
        problem = why_not_writable(output)
        if problem is not None:
            raise ParserError(problem)
    elif isinstance(sys.stdout, ClosedStream):
        raise ParserError("standard output is closed; open it, or give --output a file")
    parser = DependencyParser.load(model_file)
    parser = parser.using(**given_options(parser_options(*CHANGEABLE), options))
    limits = Limits(megabytes=max_megabytes)
    sentences = read_all(source, strict_trees=False, on_warning=lambda message: None, limits=limits)
    assert parser.model is not None
    warning = unfamiliar(parser.model.scorer.vocabulary, sentences)
    if warning is not None:
        click.echo(f"warning: {warning}", err=True)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ParserWarning)  # it has been said
        parsed = parser.parse(sentences, workers=workers)
    seconds = time.perf_counter() - started
    write_sentences(parsed, output)
    words = sum(len(sentence) for sentence in sentences)
    click.echo(f"{len(sentences)} sentences, {words} words, {words / max(seconds, 1e-9):.0f} words/s", err=True)


@click.command()
@click.argument("model_file", type=click.Path())
def info(model_file: str) -> None:
    """Say what a model is: its settings, its features, and how its training went."""
    from nlp.deps.parser import DependencyParser

    parser = DependencyParser.load(model_file)
    about = parser.describe()
    for group, settings in about["settings"].items():
        each = settings if isinstance(settings, list) else [settings]
        told = "; ".join(", ".join(f"{name} {value}" for name, value in one.items()) for one in each)
        click.echo(f"{group}: {told}")
    assert parser.model is not None
    for name, parameter in parser.model.scorer.parameters().items():
        used = int((parameter.read() != 0).sum())
        click.echo(f"{name}: {parameter.read().size}, of which {used} are not 0")
    if parser.model.relations is not None:
        names = parser.model.relations.names
        click.echo(f"relations: {len(names)}, the most frequent first: {', '.join(names)}")
    for kind, text in about["templates"].items():
        click.echo(f"templates: {kind} {len(text.splitlines())}")
    assert parser.history is not None
    for epoch in parser.history.epochs:
        kept = ", kept" if epoch.number == parser.history.best else ""
        score = "" if epoch.development is None else f", development {epoch.development:.2f}"
        click.echo(f"epoch {epoch.number}: {epoch.stage} loss {epoch.loss:.4f}{score}{kept}")
