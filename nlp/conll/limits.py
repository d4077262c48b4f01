"""How long a line, a sentence and a file may be: what has no end, or unpacks to gigabytes, is refused."""

from attrs import field, frozen

from autodiff.validators import number, plain, whole

__all__ = ["DEFAULT_LIMITS", "Limits"]


@frozen(kw_only=True)
class Limits:
    """The most that a reader takes.

    Attributes
    ----------
    megabytes : of a file (1 MB is 10^6 bytes), unzipped; a treebank takes some ten times as much memory,
        of sentences of one word forty times
    line : bytes of a line
    lines : of a sentence, with the blank lines after it
    """

    megabytes: float = field(default=500.0, converter=plain, validator=number(least=0))
    line: int = field(default=1 << 20, converter=plain, validator=whole(1))
    lines: int = field(default=100_000, converter=plain, validator=whole(1))


DEFAULT_LIMITS = Limits()
