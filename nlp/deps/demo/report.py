"""The story that the demonstration tells: read, train, parse, score, and look at single sentences."""

import shutil
import sys
from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlp.conll import Sentence
from nlp.deps.demo.garden import Part, garden, garden_file
from nlp.deps.parser import DependencyParser
from nlp.deps.text_tree import text_tree
from nlp.evaluation import Evaluation, compare, evaluate

__all__ = ["report"]

Say = Callable[[str], None]

_PARTS: dict[Part, str] = {"train": "to learn from", "dev": "to choose the best epoch by", "test": "held out"}


def report(say: Say) -> None:
    """Train the default parser on the garden treebank, try it on the held-out part, and say what comes of it.

    Parameters
    ----------
    say : is told the lines, as soon as they are known; always the same ones but for the paths in commands
    """
    sentences = {part: garden(part) for part in _PARTS}
    say("A treebank of invented sentences ships with Tacana:\n")
    for part, purpose in _PARTS.items():
        words = sum(map(len, sentences[part]))
        say(f"  {garden_file(part).name:<20} {len(sentences[part]):>4} sentences, {words:>4} words {purpose}")

    say("\nA second-order parser learns, by the L2 distance of its beliefs from the gold trees, back through four")
    say("iterations of belief propagation (the first time on a machine, its loops are compiled: up to a minute):\n")
    second = DependencyParser().fit(sentences["train"], sentences["dev"], progress=True)
    assert second.history is not None
    for epoch in second.history.epochs:
        kept = "   the best, kept" if epoch.number == second.history.best else ""
        say(f"  epoch {epoch.number:>2}   loss {epoch.loss:.3f}   dev LAS {epoch.development:.2f}{kept}")

    gold = sentences["test"]
    first = DependencyParser(order=1).fit(sentences["train"], sentences["dev"], progress=True)
    parsed = second.parse(gold)
    simple = first.parse(gold)
    say("\nScores on the held-out sentences, beside those of a parser without pairs of arcs:\n")
    say(_scores({"second order": evaluate(gold, parsed), "first order": evaluate(gold, simple)}))
    chance = compare(gold, simple, parsed).p_value
    told = "too few to tell the two apart" if chance > 0.05 else "enough to tell the two apart"
    say(f"\n  {len(gold)} sentences are {told} (p = {chance:.2f}); docs/results.md has real treebanks.")

    pairs = list(zip(gold, parsed, strict=True))
    right = max((p for g, p in pairs if not _wrong(g, p)), key=len)
    say(f"\nThe longest held-out sentence that it gets right:\n\n  {_text(right)}\n")
    say(_indented(_tree(right)))
    say("\nThe words it is least sure of, and its beliefs in their heads:\n")
    beliefs = second.marginals(right)
    for word in np.argsort(beliefs.max(axis=0), kind="stable")[:3]:
        say(f"  {right.forms[word]:<12} {_heads(right, beliefs[:, word])}")

    missed = [(g, p) for g, p in pairs if _wrong(g, p)]
    if missed:
        _mistake(second, missed, say)
    say("\nThe same from the shell; put your own treebank in place of the garden:\n")
    say(_commands())


def _mistake(parser: DependencyParser, missed: Sequence[tuple[Sentence, Sentence]], say: Say) -> None:
    """Show, of the sentences with the fewest mistakes, the one whose (first) right arc was believed in most."""

    def regret(pair: tuple[Sentence, Sentence]) -> tuple[int, float]:
        gold, word = pair[0], _wrong(*pair)[0]
        beliefs = parser.marginals(gold, labels=True)
        known = beliefs.get(gold.relations[word])  # None of a relation that training has not seen
        return len(_wrong(*pair)), 0.0 if known is None else -float(known[gold.heads[word], word])

    gold, parsed = min(missed, key=regret)
    wrong = _wrong(gold, parsed)
    say(f"\nOf {len(missed)} that it gets wrong, the nearest miss:\n\n  {_text(gold)}\n")
    left, right = ["gold", *_tree(gold, wrong)], ["predicted", *_tree(parsed, wrong)]
    width = max(map(len, left)) + 4
    say(_indented([f"{a:<{width}}{b}".rstrip() for a, b in zip_longest(left, right, fillvalue="")]))
    say("")
    beliefs = parser.marginals(gold, labels=True)
    for word in wrong:
        say(f"  {gold.forms[word]:<12} {_arcs(gold, {name: one[:, word] for name, one in beliefs.items()})}")


def _wrong(gold: Sentence, parsed: Sentence) -> list[int]:
    """Return the words whose head or relation is wrong."""
    wrong = np.array(gold.relations) != np.array(parsed.relations)
    return [int(word) for word in np.flatnonzero((gold.heads != parsed.heads) | wrong)]


def _tree(sentence: Sentence, marked: Sequence[int] = ()) -> list[str]:
    relations = [name + " ◀" * (word in marked) for word, name in enumerate(sentence.relations)]
    return text_tree(sentence.forms, sentence.heads.tolist(), relations).splitlines()


def _heads(sentence: Sentence, beliefs: NDArray[np.float64]) -> str:
    names = ["(root)", *sentence.forms]
    best = np.argsort(-beliefs, kind="stable")[:3]
    return "   ".join(f"{names[head]} {beliefs[head]:.2f}" for head in best if beliefs[head] >= 0.005)


def _arcs(sentence: Sentence, beliefs: dict[str, NDArray[np.float64]]) -> str:
    """The heads and relations of a word that are believed in most, given the beliefs in its heads by relation."""
    names = ["(root)", *sentence.forms]
    every = [(-belief, names[head], relation) for relation, one in beliefs.items() for head, belief in enumerate(one)]
    return "   ".join(f"{head} ({name}) {-belief:.2f}" for belief, head, name in sorted(every)[:3] if belief <= -0.005)


def _scores(evaluations: dict[str, Evaluation]) -> str:
    rows = ["  " + " " * 24 + "".join(f"{name:>14}" for name in evaluations)]
    for name, score in {
        "UAS": "uas",
        "LAS": "las",
        "UAS without punctuation": "uas_without_punctuation",
        "all heads of a sentence": "exact_match",
        "and all relations": "labelled_exact_match",
    }.items():
        rows.append(f"  {name:<24}" + "".join(f"{getattr(e, score):>13.2f}%" for e in evaluations.values()))
    return "\n".join(rows)


def _text(sentence: Sentence) -> str:
    mark = "# text = "
    return next(line.removeprefix(mark) for line in sentence.comments if line.startswith(mark))


def _indented(lines: Sequence[str]) -> str:
    return "\n".join(f"  {line}".rstrip() for line in lines)


def _commands() -> str:
    """The commands, so that they can be pasted where the demonstration runs."""
    beside = Path(sys.executable).with_name("tacana")
    tacana = "tacana" if shutil.which("tacana") or not beside.exists() else _from_here(beside)
    train, dev, test = (_from_here(garden_file(part)) for part in _PARTS)
    return _indented([
        f"{tacana} train --train {train} \\",
        f"    --dev {dev} --model garden.tacana",
        f"{tacana} parse --model garden.tacana {test} > parsed.conllu",
        f"{tacana} evaluate {test} parsed.conllu",
    ])  # fmt: skip


def _from_here(path: Path) -> str:
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
