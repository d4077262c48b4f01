"""Which words the scores of CoNLL-X leave out."""

import unicodedata
from functools import lru_cache

__all__ = ["is_punctuation"]


@lru_cache(maxsize=1 << 16)
def is_punctuation(form: str) -> bool:
    """Return whether all characters are punctuation in Unicode (Buchholz & Marsi 2006): categories P*, not symbols S*.

    Examples
    --------
    >>> [is_punctuation(form) for form in ("...", "»", "U.S.", "$", "``")]
    [True, True, False, False, False]
    """
    return bool(form) and all(unicodedata.category(character)[0] == "P" for character in form)
