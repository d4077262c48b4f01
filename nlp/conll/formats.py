"""The column formats: which column holds what, and how a file's first word tells its format.

| columns (from 1) | CoNLL-X (2006, 2007) | CoNLL-2009 | CoNLL-U |
| --- | --- | --- | --- |
| 1–2 | ID FORM | ID FORM | ID FORM |
| 3–6 | LEMMA CPOSTAG POSTAG FEATS | LEMMA PLEMMA POS PPOS | LEMMA UPOS XPOS FEATS |
| 7–8 | HEAD DEPREL | FEAT PFEAT | HEAD DEPREL |
| 9–10 | PHEAD PDEPREL | HEAD PHEAD | DEPS MISC |
| 11– | | DEPREL PDEPREL FILLPRED PRED APRED… | |
"""

from collections.abc import Sequence

from attrs import frozen

__all__ = ["CONLL_2009", "CONLL_U", "CONLL_X", "Format"]


@frozen
class Format:
    """Where a format keeps what, as indices from 0; where there are two, the second serves where the first is `_`.

    Examples
    --------
    >>> CONLL_X.head, CONLL_2009.head, CONLL_U.name
    (6, 8, 'CoNLL-U')
    """

    name: str
    lemma: tuple[int, ...]
    coarse_tag: tuple[int, ...]
    tag: tuple[int, ...]
    feats: tuple[int, ...]
    head: int
    relation: int
    varying: bool  # whether the number of columns may change from sentence to sentence

    def __str__(self) -> str:
        return self.name


_SAME: dict[str, tuple[int, ...]] = {"lemma": (2,), "coarse_tag": (3, 4), "tag": (4, 3), "feats": (5,)}

CONLL_X = Format("CoNLL-X", head=6, relation=7, varying=False, **_SAME)
CONLL_U = Format("CoNLL-U", head=6, relation=7, varying=False, **_SAME)
CONLL_2009 = Format(
    "CoNLL-2009", lemma=(2, 3), coarse_tag=(4, 5), tag=(4, 5), feats=(6, 7), head=8, relation=10, varying=True
)

EXPECTED_COLUMNS = (
    "10 or more columns, or 8 or 6, separated by tabs (CoNLL-X, CoNLL-U), or at least 12 (CoNLL-2009: HEAD is the 9th)"
)


def detect(fields: Sequence[str], *, commented: bool) -> Format | None:
    """Return the format of a file by the fields of its first word, and whether comments stand above it.

    None if the number of columns is that of no format.  CoNLL-X and CoNLL-U have the same columns; comments, multiword
    ranges and empty nodes make the difference.

    Examples
    --------
    >>> print(detect("1 Hello _ UH _ _ 0 root _ _".split(), commented=False))
    CoNLL-X
    >>> print(detect("1 Hello _ _ UH _ _ _ 0 0 root root _ _".split(), commented=False))
    CoNLL-2009
    """
    width = len(fields)
    plain = is_number(fields[0]) and not commented
    if width >= 12:
        both = is_number(fields[8]) and is_number(fields[9])  # HEAD PHEAD; a PDEPREL, DEPS or MISC is no number
        blind = plain and fields[8] == "_" and (fields[9] == "_" or is_number(fields[9]))
        if both or (not is_number(fields[6]) and (is_number(fields[8]) or blind)):
            return CONLL_2009
    if width not in (6, 8) and width < 10:
        return None
    return CONLL_X if plain else CONLL_U


def is_number(field: str) -> bool:
    """Return whether a field is a whole number, not negative, in plain digits."""
    return field.isascii() and field.isdigit()
