"""In which order to eliminate variables, and what that will cost: known before anything is allocated."""

import heapq
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence

from pgm.exact.plan import Clique, JunctionTreePlan

__all__ = ["make_plan"]

_BYTES = 8
_WORKING_COPIES = 3  # of the largest table: a clique, its exponentials, and the next product
_CROWD = 200  # neighbours; when all variables have more, all that is left becomes one clique at once
_HOPELESS = 1 << 40  # table entries beyond which no better order is looked for either
_FAR = math.log(64)  # times the budget: an order that needs more is given up, and so are those like it
_HOPELESSLY_FAR = math.log(2**20)  # times the budget: if min-weight needs more, nothing else is tried
_CHEAP = 100_000  # table entries below which no better order is looked for
_PATIENCE = 6  # restarts in a row that find nothing better
_RESTARTS = 20  # of min-fill with ties broken at random; on real models the best is often 4 to 64 times smaller


_Step = tuple[tuple[int, ...], set[int]]  # variables that are eliminated, and their neighbours
_Rule = Callable[[float, set[int], dict[int, set[int]]], tuple[float, float]]  # log size, neighbours, edges to a cost


def make_plan(
    scopes: Iterable[Sequence[int]], cards: Mapping[int, int], *, budget: int | None = None
) -> JunctionTreePlan:
    """Return the cheapest of the junction trees that some greedy orders give: min-fill, weighted min-fill, min-weight.

    If all of them are expensive, min-fill is tried again with ties broken at random (by a fixed seed).

    Parameters
    ----------
    scopes : the variables of each table
    cards : the number of states of every variable that is to be eliminated
    budget : bytes; an order is given up where a clique is so far beyond them that no other order will help

    Examples
    --------
    >>> print(make_plan([(0, 1), (1, 2), (2, 3), (3, 0)], dict.fromkeys(range(4), 10)))
    treewidth 2, 2 cliques, the largest with 1000 entries, 25.0 KiB of memory
    """
    edges: dict[int, set[int]] = {v: set() for v in cards}
    for scope in scopes:
        for v in scope:
            edges[v].update(scope)
    for v in edges:
        edges[v].discard(v)
    logs = {v: math.log(card) for v, card in cards.items()}

    def fill(size: float, near: set[int], edges: dict[int, set[int]]) -> tuple[float, float]:
        return sum(len(near - edges[u]) - 1 for u in near) / 2, size

    def weighted_fill(size: float, near: set[int], edges: dict[int, set[int]]) -> tuple[float, float]:
        missing = (logs[u] * logs[w] for u in near for w in near - edges[u] if w != u)
        return round(sum(missing), 9), size

    def weight(size: float, near: set[int], edges: dict[int, set[int]]) -> tuple[float, float]:
        return size, 0.0

    def random_fill(size: float, near: set[int], edges: dict[int, set[int]]) -> tuple[float, float]:
        return fill(size, near, edges)[0], chance.random()

    def make(rule: _Rule, limit: float) -> JunctionTreePlan:
        copies = {v: set(near) for v, near in edges.items()}
        steps = _eliminate(copies, rule, logs, limit, by_neighbours=rule is weight)
        return _plan(steps, cards) if sum(len(gone) for gone, _ in steps) == len(cards) else _abandoned(steps, cards)

    entries = math.inf if budget is None else math.log(max(budget, 1) / (_BYTES * _WORKING_COPIES))
    light = make(weight, entries + _HOPELESSLY_FAR)  # quick, so it comes first; min-fill takes several times as long
    if light.abandoned:
        return light
    chance = random.Random(0)
    best: JunctionTreePlan | None = None
    in_vain = 0
    for rule in (fill, weighted_fill, weight, *[random_fill] * _RESTARTS):
        if best is not None and (
            best.table_entries > _HOPELESS or (rule is random_fill and best.table_entries < _CHEAP)
        ):
            break
        plan = light if rule is weight else make(rule, entries + _FAR)
        if plan.abandoned and best is None:  # what is left of this order is not looked at, nor are orders like it
            return light
        in_vain += 1
        if best is None or (plan.table_entries < best.table_entries and not plan.abandoned):
            best, in_vain = plan, 0
        if in_vain == _PATIENCE:
            break
    assert best is not None
    return best


def _eliminate(
    edges: dict[int, set[int]], rule: _Rule, logs: Mapping[int, float], limit: float, *, by_neighbours: bool
) -> list[_Step]:
    """Eliminate the cheapest variable until none is left: return each, with its neighbours at that time.

    Stops after a clique whose table has more than exp(limit) entries.  With `by_neighbours`, the cost of a variable
    depends on its neighbours only, and not on the edges between them.
    """

    def cost(v: int) -> tuple[float, float]:
        near = edges[v]
        size = logs[v] + sum(logs[u] for u in near)
        return rule(size, near, edges) if len(near) <= _CROWD else (math.inf, size)

    current = {v: cost(v) for v in edges}
    queue = [(*c, v) for v, c in current.items()]
    heapq.heapify(queue)
    steps: list[_Step] = []
    while queue:
        first, second, v = heapq.heappop(queue)
        if current.get(v) != (first, second):
            continue  # its cost has changed since, or it is gone
        if first == math.inf:
            steps.append((tuple(edges), set()))
            break
        near = edges.pop(v)
        if logs[v] + sum(logs[u] for u in near) > limit:
            steps.append(((v,), near))
            break
        twins = {u for u in near if len(edges[u]) == len(near) and edges[u] - near == {v}}
        for u in twins:  # they see the same variables as v, and would be next
            del edges[u], current[u]
        del current[v]
        near -= twins
        steps.append(((v, *sorted(twins)), near))
        touched = set(near)
        for u in near:
            edges[u] -= twins
            edges[u].discard(v)
            new = near - edges[u]
            if len(new) > 1:  # more than u itself: an edge is filled in, and all that see both of its ends see a change
                if not by_neighbours:
                    touched |= edges[u]
                edges[u] |= new
                edges[u].discard(u)
        for u in touched:
            changed = cost(u)
            if changed != current[u]:
                current[u] = changed
                heapq.heappush(queue, (*changed, u))
    return steps


def _abandoned(steps: list[_Step], cards: Mapping[int, int]) -> JunctionTreePlan:
    """Return what is known of a tree of which only some steps were made: that it is too large."""
    gone, near = steps[-1]
    size = math.prod(cards[v] for v in (*gone, *near))
    memory = _BYTES * _WORKING_COPIES * size
    return JunctionTreePlan((), len(gone) + len(near) - 1, size, size, memory, abandoned=True)


def _plan(steps: list[_Step], cards: Mapping[int, int]) -> JunctionTreePlan:
    """Make cliques of the steps; one that is inside the clique of a step before it is not kept."""
    when = {v: step for step, (gone, _) in enumerate(steps) for v in gone}
    scopes = [{*gone, *near} for gone, near in steps]
    parent = [min((when[u] for u in near), default=-1) for _, near in steps]
    merged = list(range(len(steps)))  # the step in whose clique a step's clique is
    for step, (_, near) in enumerate(steps):
        into = parent[step]
        if into >= 0 and merged[into] == into and len(near) == len(scopes[into]):
            merged[into] = merged[step]
    kept_parent: dict[int, int] = {}
    for step, above in enumerate(parent):
        home = merged[step]
        if above < 0 or merged[above] != home:
            kept_parent[home] = -1 if above < 0 else merged[above]
    order = _children_first(kept_parent)
    number = {clique: i for i, clique in enumerate(order)}
    cliques = []
    for clique in order:
        above = kept_parent[clique]
        separator = scopes[clique] & scopes[above] if above >= 0 else set()
        cliques.append(Clique(tuple(sorted(scopes[clique])), tuple(sorted(separator)), number.get(above, -1)))
    sizes = [math.prod(cards[v] for v in clique.scope) for clique in cliques]
    messages = sum(math.prod(cards[v] for v in clique.separator) for clique in cliques)
    largest = max(sizes, default=1)
    return JunctionTreePlan(
        cliques=tuple(cliques),
        treewidth=max((len(clique.scope) for clique in cliques), default=0) - 1,
        largest_table=largest,
        table_entries=sum(sizes),
        memory=_BYTES * (2 * messages + _WORKING_COPIES * largest),
    )


def _children_first(parent: Mapping[int, int]) -> list[int]:
    children: dict[int, list[int]] = {clique: [] for clique in parent}
    stack: list[int] = []
    for clique, above in parent.items():
        (children[above] if above >= 0 else stack).append(clique)
    order = []
    while stack:
        order.append(stack.pop())
        stack.extend(children[order[-1]])
    return order[::-1]
