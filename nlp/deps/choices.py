"""What a parser can be given for an option, and what is said of anything else."""

from typing import Any, get_args

from nlp.deps.decoding import Decoder
from nlp.deps.pruning import PruningSettings
from nlp.features import DEFAULTS, TemplateSet

__all__ = ["as_bits", "as_decoder", "as_pruning", "as_templates"]


def as_decoder(given: Any) -> Decoder:
    """Return the name of a decoder."""
    if given not in get_args(Decoder):
        raise ValueError(f"decoder is one of {', '.join(get_args(Decoder))}; not {given!r}")
    chosen: Decoder = given
    return chosen


def as_pruning(given: Any, *, order: int) -> PruningSettings | None:
    """Return how to prune: "default" and True by the order, False and None not at all."""
    if given == "default":
        given = bool(order == 2)
    if given is None or isinstance(given, PruningSettings):
        return given
    if isinstance(given, bool):
        return PruningSettings() if given else None
    raise TypeError(f"pruning is a PruningSettings, or None for no pruning; not {given!r}")


def as_templates(given: Any) -> dict[str, TemplateSet]:
    """Return the default sets of templates, with those that are given in their places."""
    if given is None:
        return dict(DEFAULTS)
    if not (isinstance(given, dict) and all(isinstance(chosen, TemplateSet) for chosen in given.values())):
        raise TypeError(f"templates is what read_templates(file) or parse_templates(text) returns; not {given!r}")
    return {**DEFAULTS, **given}


def as_bits(given: Any) -> int:
    """Return k, for 2^k weights."""
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= 28:
        raise ValueError(f"bits is a whole number from 1 to 28 (2^28 weights are 2 GiB), not {given!r}")
    return given
