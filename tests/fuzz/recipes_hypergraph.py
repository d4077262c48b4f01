"""Good calls of the public names of `hypergraph`."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

import hypergraph as hg
from fuzz.recipe import Case, recipe
from hypergraph import batched, drawing, nonprojective, semirings, structures
from hypergraph.derivation import EdgeDerivation
from hypergraph.structures import ContextFree, Grammar

TREES = structures.ProjectiveTrees(3)
NONPROJECTIVE = structures.NonprojectiveTrees(3, "one")


def _scores(*shape: int) -> Any:
    return np.random.default_rng(0).normal(size=shape)


def _graph() -> hg.Hypergraph:
    builder = hg.HypergraphBuilder()
    for name in ("a", "b", "c"):
        builder.edge("x", weight=name)
    builder.edge("y", ["x", "x"], weight="d")
    builder.edge("y", ["x"])
    return builder.build("y")


# Hypergraphs


@recipe("hypergraph.Hypergraph")
def hypergraph() -> Iterable[Case]:
    def use(**arrays: Any) -> Any:
        weights = arrays.pop("weights")
        graph = hg.Hypergraph(**arrays)
        values = graph.weights(weights)
        answers = hg.log_partition(graph, values), hg.marginals(graph, values), hg.edge_marginals(graph, values)
        return *answers, hg.inside(graph, values), hg.outside(graph, values), repr(graph)

    yield Case(
        use, head=np.array([0, 1, 1, 2]), tail_start=np.array([0, 0, 1, 2, 4]), tails=np.array([0, 0, 1, 1]),
        weight=np.array([-1, 0, 1, 1]), num_nodes=3, num_weights=2, root=2, weights=np.array([0.5, -1.0]),
        _extra={"root": (3, 10**6), "num_nodes": (2, 4, 10**6), "num_weights": (1, 10**6)},
        _words={"num_nodes": ("nodes",), "num_weights": ("weights",)},
    )  # fmt: skip


@recipe("hypergraph.HypergraphBuilder")
def builder() -> Iterable[Case]:
    def use(num_weights: Any, index: Any, weights: Any) -> Any:
        made = hg.HypergraphBuilder(num_weights=num_weights)
        made.edge("x", weight=0)
        made.edge("x", weight=index)
        made.edge("y", ["x", "x"], weight=1)
        return hg.marginals(made.build("y"), weights)

    yield Case(
        use, num_weights=3, index=2, weights=_scores(3), _words={"num_weights": ("weights",), "index": ("weight",)}
    )


def _asked(function: Callable[..., Any]) -> Callable[..., Any]:
    def ask(weights: Any, structure: Any, **options: Any) -> Any:
        answer = function(structure, weights, **options)
        if isinstance(answer, hg.Derivation):
            answer = [answer]
        if isinstance(answer, list):
            return [_told(each) for each in answer]
        return answer

    def _told(derivation: hg.Derivation) -> Any:
        told = derivation.score, derivation.weights, derivation.counts()
        if isinstance(derivation, EdgeDerivation):
            return *told, derivation.edges, derivation.nodes, derivation.tree()
        return told

    return ask


def _questions(function: Callable[..., Any], **options: Any) -> Iterator[Case]:
    yield Case(_asked(function), weights=_scores(4, 4), structure=TREES, **options)
    yield Case(_asked(function), weights=_scores(4), structure=_graph(), **options)


def _all_questions(function: Callable[..., Any], **options: Any) -> Iterator[Case]:
    """Those that a structure without a hypergraph answers, too."""
    yield from _questions(function, **options)
    yield Case(_asked(function), weights=_scores(4, 4), structure=NONPROJECTIVE, **options)


for _function in (hg.count, hg.entropy, hg.log_partition, hg.marginals, hg.viterbi):
    recipe(f"hypergraph.{_function.__name__}")(lambda function=_function: _all_questions(function))

for _function in (hg.edge_marginals, hg.inside, hg.node_marginals, hg.outside):
    recipe(f"hypergraph.{_function.__name__}")(lambda function=_function: _questions(function))


@recipe("hypergraph.total")
def total() -> Iterable[Case]:
    yield from _questions(hg.total, semiring=semirings.MaxPlus())


@recipe("hypergraph.kbest")
def kbest() -> Iterable[Case]:
    yield from _all_questions(hg.kbest, k=3)


@recipe("hypergraph.iterate_best")
def iterate_best() -> Iterable[Case]:
    yield from _all_questions(lambda structure, weights: list(islice(hg.iterate_best(structure, weights), 4)))


@recipe("hypergraph.sample")
def sample() -> Iterable[Case]:
    yield from _all_questions(hg.sample, size=3, seed=0)


@recipe("hypergraph.expectation")
def expectation() -> Iterable[Case]:
    yield Case(_asked(hg.expectation), weights=_scores(4, 4), structure=TREES, features=_scores(16, 2))


@recipe("hypergraph.expectation_with_gradient")
def expectation_with_gradient() -> Iterable[Case]:
    ask = _asked(hg.expectation_with_gradient)
    yield Case(ask, weights=_scores(4, 4), structure=TREES, features=_scores(16, 2))
    yield Case(ask, weights=_scores(4), structure=_graph(), features=_scores(4))


@recipe("hypergraph.covariance")
def covariance() -> Iterable[Case]:
    others = _scores(16, 3)
    yield Case(_asked(hg.covariance), weights=_scores(4, 4), structure=TREES, features=_scores(16, 2), others=others)


@recipe("hypergraph.InsideOutside", "hypergraph.LogPartition", "hypergraph.Marginals")
def modules() -> Iterable[Case]:
    for structure, shape in ((TREES, (4, 4)), (_graph(), (4,))):

        def use(weights: Any, scale: Any, by_weight: Any, by_node: Any, structure: Any = structure) -> Any:
            answers = []
            for kind in (hg.LogPartition, hg.Marginals, hg.InsideOutside):
                module: Any = kind(structure)
                output, backward = module.forward(weights)
                answers.append((output, backward(*(scale, by_weight, by_node)[: module.output_count])))
            return answers

        nodes = structure.graph.num_nodes
        adjoints = {"scale": np.array(0.5), "by_weight": _scores(*shape), "by_node": _scores(nodes)}
        yield Case(use, weights=_scores(*shape), **adjoints)


# Semirings


@recipe("hypergraph.check_semiring")
def check_semiring() -> Iterable[Case]:
    def use(examples: Any, count: int, seed: int) -> Any:
        hg.check_semiring(semirings.LogSemiring(), count=count, seed=seed)
        return hg.check_semiring(semirings.LogSemiring(), examples)

    yield Case(use, examples=_scores(4), count=3, seed=0)


def _semiring(make: Callable[..., semirings.Semiring], **settings: Any) -> Case:
    def use(weights: Any, **settings: Any) -> Any:
        semiring = make(**settings)
        graph = _graph()
        values = semiring.lift(weights)
        beta = semiring.inside(graph, values)
        return values, beta, semiring.outside(graph, values, beta), semiring.sum(beta)

    return Case(use, weights=_scores(4), **settings)


for _kind in (
    semirings.Boolean,
    semirings.Counting,
    semirings.LogSemiring,
    semirings.MaxPlus,
    semirings.Real,
    semirings.SignedLog,
):
    recipe(f"hypergraph.semirings.{_kind.__name__}")(lambda kind=_kind: [_semiring(kind)])


@recipe("hypergraph.semirings.KBest")
def k_best_semiring() -> Iterable[Case]:
    yield _semiring(semirings.KBest, k=2)


@recipe("hypergraph.semirings.Expectation")
def expectation_semiring() -> Iterable[Case]:
    yield _semiring(semirings.Expectation, features=_scores(4, 2))


@recipe("hypergraph.semirings.SecondOrderExpectation")
def second_order_semiring() -> Iterable[Case]:
    yield _semiring(semirings.SecondOrderExpectation, features=_scores(4, 2), others=_scores(4, 3))


# Batches


def _everything(chart: batched.BatchChart, scales: Any, *adjoints: Any) -> Any:
    marginals = chart.marginals
    return chart.log_partitions, marginals, chart.log_partitions_backward(scales), chart.backward(*adjoints)


@recipe("hypergraph.batched.TreeChart")
def tree_chart() -> Iterable[Case]:
    for roots in ("any", "one"):

        def use(scores: Any, lengths: Any, scales: Any, adjoint: Any, roots: Any = roots) -> Any:
            return _everything(batched.TreeChart.run(scores, lengths, roots=roots), scales, adjoint)

        adjoints = {"scales": _scores(2), "adjoint": _scores(2, 5, 5)}
        yield Case(use, scores=_scores(2, 5, 5), lengths=np.array([4, 2]), **adjoints)
        yield Case(
            lambda scores, roots=roots: batched.TreeChart.run(scores, roots=roots).marginals, scores=_scores(2, 5, 5)
        )


@recipe("hypergraph.batched.best_trees")
def best_trees() -> Iterable[Case]:
    yield Case(batched.best_trees, scores=_scores(2, 5, 5), lengths=np.array([4, 2]))
    yield Case(batched.best_trees, scores=_scores(2, 5, 5), roots="one")


@recipe("hypergraph.batched.NonprojectiveTreeChart")
def nonprojective_tree_chart() -> Iterable[Case]:
    for roots in ("any", "one"):

        def use(scores: Any, lengths: Any, scales: Any, adjoint: Any, roots: Any = roots) -> Any:
            return _everything(batched.NonprojectiveTreeChart.run(scores, lengths, roots=roots), scales, adjoint)

        adjoints = {"scales": _scores(2), "adjoint": _scores(2, 5, 5)}
        yield Case(use, scores=_scores(2, 5, 5), lengths=np.array([4, 2]), **adjoints)


@recipe("hypergraph.batched.best_nonprojective_trees")
def best_nonprojective_trees() -> Iterable[Case]:
    yield Case(batched.best_nonprojective_trees, scores=_scores(2, 5, 5), lengths=np.array([4, 2]))
    yield Case(batched.best_nonprojective_trees, scores=_scores(2, 5, 5), roots="one")


@recipe("hypergraph.batched.ChainChart")
def chain_chart() -> Iterable[Case]:
    for shape in ((3, 3), (3, 3, 3), (2, 1, 3, 3), (2, 3, 3, 3)):

        def use(unary: Any, transitions: Any, lengths: Any, scales: Any, of_unary: Any, of_transitions: Any) -> Any:
            chart = batched.ChainChart.run(unary, transitions, lengths)
            return _everything(chart, scales, of_unary, of_transitions)

        adjoints = {"scales": _scores(2), "of_unary": _scores(2, 4, 3), "of_transitions": _scores(*shape)}
        yield Case(use, unary=_scores(2, 4, 3), transitions=_scores(*shape), lengths=np.array([4, 2]), **adjoints)


@recipe("hypergraph.batched.best_chains")
def best_chains() -> Iterable[Case]:
    for shape in ((3, 3), (3, 3, 3), (2, 3, 3, 3)):
        yield Case(batched.best_chains, unary=_scores(2, 4, 3), transitions=_scores(*shape), lengths=np.array([4, 2]))
    yield Case(batched.best_chains, unary=_scores(2, 4, 3), transitions=_scores(3, 3))


_RULES = {"parent": np.array([0, 1, 2, 0]), "left": np.array([1, 1, 1, 2]), "right": np.array([2, 0, 2, 2])}


@recipe("hypergraph.batched.BinaryRules")
def binary_rules() -> Iterable[Case]:
    def use(symbols: Any, **columns: Any) -> Any:
        rules = batched.BinaryRules(symbols, **columns)
        return rules.order, rules.parents, rules.pairs, rules.first_rule, rules.rank

    yield Case(use, symbols=3, **_RULES)


@recipe("hypergraph.batched.ContextFreeChart")
def context_free_chart() -> Iterable[Case]:
    rules = batched.BinaryRules(3, **_RULES)
    for batch in ((), (2,)):

        def use(
            roots: Any, rules_: Any, lexical: Any, lengths: Any, scales: Any, of_roots: Any, of_rules: Any,
            of_lexical: Any,
        ) -> Any:  # fmt: skip
            chart = batched.ContextFreeChart.run(rules, roots, rules_, lexical, lengths)
            return _everything(chart, scales, of_roots, of_rules, of_lexical)

        yield Case(
            use, roots=_scores(*batch, 3), rules_=_scores(*batch, 4), lexical=_scores(2, 4, 3),
            lengths=np.array([4, 2]), scales=_scores(2), of_roots=_scores(*batch, 3), of_rules=_scores(*batch, 4),
            of_lexical=_scores(2, 4, 3), _words={"rules_": ("rules",)},
        )  # fmt: skip


@recipe("hypergraph.batched.best_parses")
def best_parses() -> Iterable[Case]:
    rules = batched.BinaryRules(3, **_RULES)
    for batch in ((), (2,)):
        arrays = {"roots": _scores(*batch, 3), "rules": _scores(*batch, 4), "lexical": _scores(2, 4, 3)}
        yield Case(batched.best_parses, grammar=rules, **arrays, lengths=np.array([4, 2]))


@recipe("hypergraph.batched.HypergraphChart")
def hypergraph_chart() -> Iterable[Case]:
    def use(weights: Any, scales: Any, adjoint: Any) -> Any:
        chart = batched.HypergraphChart.run(_graph(), weights)
        return _everything(chart, scales, adjoint), chart.node_marginals, chart.edge_marginals

    yield Case(use, weights=_scores(2, 4), scales=_scores(2), adjoint=_scores(2, 4))


@recipe("hypergraph.batched.best_derivations")
def best_derivations() -> Iterable[Case]:
    def use(weights: Any) -> Any:
        scores, derivations = batched.best_derivations(TREES, weights)
        return scores, [derivation.edges for derivation in derivations]

    yield Case(use, weights=_scores(2, 4, 4))


@recipe("hypergraph.batched.BatchMarginals")
def batch_marginals() -> Iterable[Case]:
    def use(scores: Any, scales: Any, adjoint: Any) -> Any:
        outputs, backward = batched.BatchMarginals(batched.TreeChart.run).forward(scores)
        return outputs, backward(scales, adjoint), backward(None, adjoint)

    yield Case(
        use,
        scores=_scores(2, 4, 4),
        scales=_scores(2),
        adjoint=_scores(2, 4, 4),
        _words={"scales": ("log_partitions",)},
    )


# Sums over non-projective trees


@recipe("hypergraph.nonprojective.TreeSums", "hypergraph.nonprojective.best_escape")
def tree_sums() -> Iterable[Case]:
    for roots in ("any", "one"):
        for exactly in (False, True):

            def use(scores: Any, adjoint: Any, roots: Any = roots, exactly: bool = exactly) -> Any:
                sums = nonprojective.TreeSums(scores, roots, exact=exactly)
                best = nonprojective.best_escape(scores, roots)
                return sums.log_partition, sums.log_escape, sums.backward(adjoint), best

            yield Case(use, scores=_scores(2, 4, 4), adjoint=_scores(2, 4, 4))
    yield Case(
        lambda scores, roots: nonprojective.TreeSums(scores, roots).log_partition, scores=_scores(2, 4, 4), roots="one"
    )


# Drawing


@recipe("hypergraph.drawing.to_networkx")
def to_networkx() -> Iterable[Case]:
    yield Case(
        lambda weights: [drawing.to_networkx(_graph()).number_of_nodes(), weights.shape],
        weights=_scores(2),
        _keep=("weights",),
    )


@recipe("hypergraph.drawing.draw")
def draw() -> Iterable[Case]:
    def use() -> Any:
        import matplotlib

        matplotlib.use("Agg")
        graph = _graph()
        axes = drawing.draw(graph, highlight=hg.viterbi(graph, np.zeros(4)))
        matplotlib.pyplot.close("all")
        return len(axes.texts)

    yield Case(use)


# Structures


def _structure(make: Callable[..., hg.Structure], weights: dict[str, Any], **sizes: Any) -> Case:
    def use(given: dict[str, Any], **sizes: Any) -> Any:
        structure: Any = make(**sizes)
        vector = structure.weights(**given)
        score, best = structure.best(vector)
        chart = structure.run(structure.check_weights(vector))
        answers = vector, score, best, chart.log_partition, chart.weight_marginals
        return *answers, structure.weight_name(0), hg.entropy(structure, vector)

    return Case(use, given=weights, **sizes)


@recipe("hypergraph.structures.ProjectiveTrees")
def projective_trees() -> Iterable[Case]:
    yield _structure(structures.ProjectiveTrees, {"arc_scores": _scores(4, 4)}, n=3, roots="one")


@recipe("hypergraph.structures.NonprojectiveTrees")
def nonprojective_trees() -> Iterable[Case]:
    yield _structure(structures.NonprojectiveTrees, {"arc_scores": _scores(4, 4)}, n=3, roots="one")


@recipe("hypergraph.structures.SiblingTrees")
def sibling_trees() -> Iterable[Case]:
    weights = {"arcs": _scores(4, 4), "siblings": _scores(4, 4, 4)}
    yield _structure(structures.SiblingTrees, weights, n=3, roots="one")


@recipe("hypergraph.structures.GrandparentTrees")
def grandparent_trees() -> Iterable[Case]:
    weights = {"arcs": _scores(4, 4), "grandparents": _scores(4, 4, 4)}
    yield _structure(structures.GrandparentTrees, weights, n=3)


@recipe("hypergraph.structures.GrandSiblingTrees")
def grand_sibling_trees() -> Iterable[Case]:
    weights = {"arcs": _scores(4, 4), "grand_siblings": _scores(4, 4, 4, 4)}
    yield _structure(structures.GrandSiblingTrees, weights, n=3)


@recipe("hypergraph.structures.LinearChain")
def linear_chain() -> Iterable[Case]:
    for shared, shape in ((False, (3, 2, 2)), (True, (2, 2))):
        weights = {"unary": _scores(4, 2), "transitions": _scores(*shape), "initial": _scores(2), "final": _scores(2)}
        yield _structure(structures.LinearChain, weights, length=4, states=2, shared_transitions=shared)


@recipe("hypergraph.structures.SecondOrderChain")
def second_order_chain() -> Iterable[Case]:
    weights = {"unary": _scores(4, 2), "transitions": _scores(2, 2, 2, 2), "first_pair": _scores(2, 2)}
    yield _structure(structures.SecondOrderChain, weights, length=4, states=2)


@recipe("hypergraph.structures.Segmentation")
def segmentation() -> Iterable[Case]:
    weights = {"segments": _scores(4, 3, 2), "transitions": _scores(2, 2)}
    yield _structure(structures.Segmentation, weights, length=4, labels=2, max_segment=3)


def _grammar(rule_weights: Any = None, lexicon_weights: Any = None) -> Grammar:
    weights = {"rule_weights": rule_weights, "lexicon_weights": lexicon_weights} if rule_weights is not None else {}
    lexicon = [("N", "time"), ("V", "flies")]
    return Grammar(["S"], [("S", "N", "V"), ("N", "N", "N"), ("S", "V", "N")], lexicon=lexicon, **weights)


@recipe("hypergraph.structures.Grammar")
def grammar() -> Iterable[Case]:
    def use(rule_weights: Any, lexicon_weights: Any) -> Any:
        trees, weights = ContextFree.of_sentence(_grammar(rule_weights, lexicon_weights), ["time", "time", "flies"])
        return weights, hg.marginals(trees, weights)

    yield Case(use, rule_weights=_scores(3), lexicon_weights=_scores(2))


@recipe("hypergraph.structures.ContextFree")
def context_free() -> Iterable[Case]:
    weights = {"rules": _scores(3), "lexical": _scores(3, 3), "roots": _scores(3)}
    yield _structure(ContextFree, weights, grammar=_grammar(), n=3)
