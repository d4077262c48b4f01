"""Reading the text of a grammar, line by line; the format is described in `grammar`."""

from typing import Any

from hypergraph.errors import GrammarError

__all__ = ["parse_grammar"]

SEPARATOR = "==="


def parse_grammar(text: str, source: str) -> dict[str, Any]:
    """Return the arguments of `Grammar`."""
    start: list[str] = []
    in_lexicon = False
    rules: dict[tuple[str, ...], float] = {}
    lexicon: dict[tuple[str, ...], float] = {}
    first_seen: dict[tuple[bool, tuple[str, ...]], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        where, tokens = f"{source}:{number}", line.split()
        if not tokens or tokens[0].startswith("#"):
            continue
        if not start:
            if "->" in tokens:
                raise GrammarError(
                    f"{where}: the first line must name the start symbols, but it is a rule: {line.strip()}"
                )
            start = tokens
        elif tokens == [SEPARATOR]:
            in_lexicon = True
        else:
            item, weight = _entry(tokens, where)
            _check_form(item, in_lexicon, where)
            if (in_lexicon, item) in first_seen:
                earlier = first_seen[in_lexicon, item]
                raise GrammarError(
                    f"{where}: {_shown(item)} is already in line {earlier}; add up the weights and keep one"
                )
            first_seen[in_lexicon, item] = number
            (lexicon if in_lexicon else rules)[item] = weight
    if not start:
        raise GrammarError(f"{source}: no start symbol: the first line must name the start symbols")
    if not in_lexicon:
        raise GrammarError(f"{source}: no line {SEPARATOR}, which separates the rules from the lexicon")
    return {
        "start": start,
        "rules": rules,
        "rule_weights": rules.values(),
        "lexicon": lexicon,
        "lexicon_weights": lexicon.values(),
    }


def _entry(tokens: list[str], where: str) -> tuple[tuple[str, ...], float]:
    line = " ".join(tokens)
    if len(tokens) < 4 or tokens[1] != "->":
        raise GrammarError(f"{where}: expected `symbol -> right-hand side log-weight`, not: {line}")
    try:
        weight = float(tokens[-1])
    except ValueError:
        raise GrammarError(f"{where}: the log-weight at the end of the line is no number: {line}") from None
    if weight != weight or weight == float("inf"):
        raise GrammarError(f"{where}: the log-weight {weight} must be a finite number or -inf: {line}")
    return (tokens[0], *tokens[2:-1]), weight


def _check_form(item: tuple[str, ...], in_lexicon: bool, where: str) -> None:
    right = item[1:]
    if in_lexicon:
        if len(right) != 1:
            raise GrammarError(f"{where}: an entry of the lexicon has one word, but {_shown(item)} has {len(right)}")
    elif len(right) == 1:
        raise GrammarError(
            f"{where}: the rule {_shown(item)} is not in Chomsky normal form (it is unary): remove it, and for "
            f"every rule and lexicon entry {right[0]} -> … add one {item[0]} -> …, with the sum of both log-weights"
        )
    elif len(right) > 2:
        raise GrammarError(
            f"{where}: the rule {_shown(item)} is not in Chomsky normal form (it has {len(right)} symbols): "
            f"split it with a new symbol, {item[0]} -> {right[0]} X and X -> {' '.join(right[1:])}"
        )


def _shown(item: tuple[str, ...]) -> str:
    return f"{item[0]} -> {' '.join(item[1:])}"
