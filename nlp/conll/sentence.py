"""One sentence of a treebank: its words as columns, and the very lines that it was read from."""

from collections.abc import Sequence

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import ArrayLike, NDArray

from nlp.conll.formats import CONLL_X, Format

__all__ = ["Sentence"]

Words = tuple[str, ...]


@frozen
class Sentence:
    """The n words of a sentence.  Two sentences are equal if their lines are.

    Multiword ranges (`2-3`) and empty nodes (`2.1`) are no words: they are only in `lines`.

    Attributes
    ----------
    forms, lemmas, coarse_tags, tags, feats, relations : n strings each, `_` where the file says nothing
        Where one of the two columns of tags is `_` the other stands in for it; in CoNLL-2009 there is but one gold
        column of tags, and predicted columns stand in for gold lemmas, tags and features.
    heads : (n,) read-only; 0 is the root, -1 a head that is missing
    format : the columns of `lines`
    lines : all lines, with their ends: comments, words, ranges, empty nodes and the blank lines around
    word_lines : index in `lines` of every word
    source, line : file, and number of the first of `lines` in it, for messages

    Examples
    --------
    >>> sentence = Sentence.from_words(["Time", "flies"], tags=["NN", "VBZ"], heads=[2, 0])
    >>> len(sentence), sentence.forms, sentence.heads.tolist()
    (2, ('Time', 'flies'), [2, 0])
    >>> print(sentence.with_heads([0, 1], ["root", "dep"]).text, end="")
    1	Time	_	NN	NN	_	0	root	_	_
    2	flies	_	VBZ	VBZ	_	1	dep	_	_
    <BLANKLINE>
    """

    forms: Words = field(eq=False)
    lemmas: Words = field(eq=False, repr=False)
    coarse_tags: Words = field(eq=False, repr=False)
    tags: Words = field(eq=False)
    feats: Words = field(eq=False, repr=False)
    heads: NDArray[np.int64] = field(eq=False)
    relations: Words = field(eq=False)
    format: Format = field(eq=False, repr=str)
    lines: Words = field(repr=False)
    word_lines: tuple[int, ...] = field(eq=False, repr=False)
    source: str = field(default="", eq=False)
    line: int = field(default=0, eq=False)

    @classmethod
    def from_words(
        cls,
        forms: Sequence[str],
        *,
        tags: Sequence[str] | None = None,
        coarse_tags: Sequence[str] | None = None,
        lemmas: Sequence[str] | None = None,
        feats: Sequence[str] | None = None,
        heads: ArrayLike | None = None,
        relations: Sequence[str] | None = None,
    ) -> "Sentence":
        """Make a sentence that no file holds, in CoNLL-X; what is not given is `_`, and either kind of tags does.

        Raises
        ------
        ValueError
            If a column has not one value for each word, or a value cannot stand in a file.
        """
        n = len(forms)
        columns = [
            _column(name, tuple(values) if values is not None else ("_",) * n, n)
            for name, values in (
                ("forms", forms),
                ("lemmas", lemmas),
                (
                    "coarse_tags" if coarse_tags is not None else "tags",
                    coarse_tags if coarse_tags is not None else tags,
                ),
                ("tags" if tags is not None else "coarse_tags", tags if tags is not None else coarse_tags),
                ("feats", feats),
            )
        ]
        rows = zip(*columns, strict=True)
        lines = (*("\t".join((str(i), *row)) + "\t_\t_\t_\t_\n" for i, row in enumerate(rows, start=1)), "\n")
        missing = np.full(n, -1)
        words, lemma, coarse, fine, morphology = columns
        sentence = cls(
            words, lemma, coarse, fine, morphology, missing, ("_",) * n, CONLL_X, lines, tuple(range(n))
        )  # fmt: skip
        return sentence.with_heads(missing if heads is None else heads, relations)

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def text(self) -> str:
        """The lines, as they are or will be in a file."""
        return "".join(self.lines)

    @property
    def comments(self) -> Words:
        """The lines of comment, without their ends."""
        return tuple(line.rstrip("\r\n") for line in self.lines if line.lstrip("\ufeff").startswith("#"))

    @property
    def morphology(self) -> tuple[Words, ...]:
        """The features of every word, split at `|`.

        Examples
        --------
        >>> Sentence.from_words(["a", "b"], feats=["Number=Sing|Case=Nom", "_"]).morphology
        (('Number=Sing', 'Case=Nom'), ())
        """
        return tuple(() if feats == "_" else tuple(feats.split("|")) for feats in self.feats)

    @property
    def has_heads(self) -> bool:
        """Whether every word has a head."""
        return bool((self.heads >= 0).all())

    def with_heads(self, heads: ArrayLike, relations: Sequence[str] | None = None) -> "Sentence":
        """Return the sentence with other heads, and other relations if they are given, also in its lines.

        Nothing else changes in the lines, so gold relations stay when only heads are given.

        Parameters
        ----------
        heads : (n,) whole numbers from -1 (missing) to n; whether they make a tree is not looked at
        relations : n strings

        Raises
        ------
        ValueError
            If these cannot be heads or relations of this sentence.
        """
        n = len(self)
        array = np.asarray(heads)
        if array.shape != (n,) or (n and array.dtype.kind not in "iu"):
            raise ValueError(f"heads of shape {array.shape} and type {array.dtype}; expected {n} whole numbers")
        array = array.astype(np.int64)
        if n and (array.min() < -1 or array.max() > n):
            raise ValueError(f"heads from {array.min()} to {array.max()}; expected heads from 0 to {n}, or -1 for none")
        names = self.relations if relations is None else _column("relations", tuple(relations), n)
        lines = list(self.lines)
        for index, head, relation in zip(self.word_lines, array.tolist(), names, strict=True):
            content = lines[index].rstrip("\r\n")
            fields = content.split("\t")
            fields += ["_"] * (self.format.relation + 1 - len(fields))
            fields[self.format.head] = "_" if head < 0 else str(head)
            if relations is not None:
                fields[self.format.relation] = relation
            lines[index] = "\t".join(fields) + lines[index][len(content) :]
        array.flags.writeable = False
        return evolve(self, heads=array, relations=names, lines=tuple(lines))


def _column(name: str, values: Words, n: int) -> Words:
    """Return a column that can be written."""
    if len(values) != n:
        raise ValueError(f"{len(values)} {name}; expected {n}, one for each word")
    for value in values:
        if not isinstance(value, str) or not value or any(character in value for character in "\t\r\n"):
            raise ValueError(f"{name}: {value!r}; expected text that is not empty, without tabs and ends of lines")
    return values
