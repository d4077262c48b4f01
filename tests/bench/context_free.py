"""CKY marginals with 30 nonterminals and 30 preterminals, all rules: the kernel and torch-struct."""

import numpy as np

from bench.timing import Table, milliseconds, race
from hypergraph.structures import ContextFree, Grammar

__all__ = ["run"]


def run(n: int = 20, nonterminals: int = 30, preterminals: int = 30) -> None:
    rng = np.random.default_rng(0)
    symbols = nonterminals + preterminals
    names = [f"N{i}" for i in range(nonterminals)] + [f"T{i}" for i in range(preterminals)]
    rules = [(parent, left, right) for parent in names[:nonterminals] for left in names for right in names]
    grammar = Grammar(start=names[:nonterminals], rules=rules, symbols=names)
    parses = ContextFree(grammar, n)
    rule_scores = rng.normal(size=(nonterminals, symbols, symbols))
    lexical = np.full((n, symbols), -np.inf)
    lexical[:, nonterminals:] = rng.normal(size=(n, preterminals))
    roots = np.full(symbols, -np.inf)
    roots[:nonterminals] = rng.normal(size=nonterminals)
    weights = parses.weights(rule_scores.ravel(), lexical, roots=roots)
    candidates = {"kernel": lambda: parses.run(weights).weight_marginals}
    other = _torch_struct(rule_scores, lexical[:, nonterminals:], roots[:nonterminals])
    if other:
        candidates["torch-struct"] = lambda: other().marginals
        np.testing.assert_allclose(float(other().partition), parses.run(weights).log_partition, rtol=1e-9)
    best = race(candidates)
    table = Table("what", "time", "over the kernel")
    for name, seconds in best.items():
        table.add(name, milliseconds(seconds), f"{seconds / best['kernel']:.1f}")
    print(f"CKY marginals, n = {n}, {nonterminals} + {preterminals} symbols, {len(rules)} rules"
          f"{'' if other else ' (torch-struct is not installed)'}")  # fmt: skip
    print(table, end="\n\n")


def _torch_struct(rules: np.ndarray, terms: np.ndarray, roots: np.ndarray):
    try:
        import torch
        import torch_struct
    except ImportError:
        return None
    torch.set_num_threads(1)
    potentials = (torch.tensor(terms)[None], torch.tensor(rules)[None], torch.tensor(roots)[None])
    return lambda: torch_struct.SentCFG(potentials)
