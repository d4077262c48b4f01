"""The command `tacana evaluate`."""

import click

from nlp.limit_option import limit_option

__all__ = ["evaluate"]


@click.command()
@click.argument("gold", type=click.Path())
@click.argument("parsed", type=click.Path())
@click.argument("second", type=click.Path(), required=False)
@click.option("--rounds", type=click.IntRange(1), default=9999, show_default=True, help="Random exchanges of the test.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random exchanges.")
@click.option(
    "--subtypes/--no-subtypes", default=True, show_default=True, help="Compare relations beyond a colon, too."
)
@limit_option
def evaluate(
    gold: str, parsed: str, second: str | None, rounds: int, seed: int, subtypes: bool, max_megabytes: float
) -> None:
    """Score the trees of PARSED by those of GOLD; with SECOND, test which of the two outputs is better.

    The files are CoNLL-X, CoNLL-2009 or CoNLL-U, plain or .gz; one of them may be - for standard input.  Prints
    attachment scores with and without punctuation, exact match, root accuracy, CLAS where relations are those of
    Universal Dependencies, and scores by arc length and relation; with SECOND, then the p-values of a paired
    permutation test over sentences.
    """
    from nlp.conll import Limits, read_all, read_sentences
    from nlp.evaluation import EvaluationError
    from nlp.evaluation.alignment import Alignment
    from nlp.evaluation.comparison import compare_alignments
    from nlp.evaluation.evaluation import evaluate_alignment

    outputs = [parsed] if second is None else [parsed, second]
    if [gold, *outputs].count("-") > 1:
        raise EvaluationError("only one of the files can be standard input")
    limits = Limits(megabytes=max_megabytes)
    sentences = read_all(gold, on_warning=lambda message: None, limits=limits)  # several roots are gold's right
    parses = [read_sentences(output, strict_trees=False, limits=limits) for output in outputs]
    words = [Alignment.of(sentences, parse, subtypes=subtypes) for parse in parses]
    parts = [str(evaluate_alignment(one)) for one in words]
    if second is not None:
        parts = [f"{output}\n{part}" for output, part in zip(outputs, parts, strict=True)]
        metrics = ["uas", "las"] if all(one.is_labelled for one in words) else ["uas"]
        tests = [
            str(compare_alignments(*words, seed=seed, rounds=rounds, metric=metric, punctuation=punctuation))
            for metric in metrics
            for punctuation in (True, False)
        ]
        parts.append("\n".join(tests))
    click.echo("\n\n".join(parts))
