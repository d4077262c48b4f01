"""What features need of a sentence; `nlp.conll.Sentence` has it."""

from collections.abc import Iterable, Sequence
from typing import Protocol

__all__ = ["TaggedSentence"]


class TaggedSentence(Protocol):
    """Columns of n values each, `_` where there is nothing.  `heads` is only looked at in training."""

    @property
    def forms(self) -> Sequence[str]:
        """The words."""

    @property
    def lemmas(self) -> Sequence[str]:
        """Their dictionary forms."""

    @property
    def coarse_tags(self) -> Sequence[str]:
        """Their coarse parts of speech."""

    @property
    def tags(self) -> Sequence[str]:
        """Their fine parts of speech."""

    @property
    def feats(self) -> Sequence[str]:
        """Their morphological features, joined by `|`."""

    @property
    def heads(self) -> Iterable[int]:
        """Their heads; 0 is the root."""
