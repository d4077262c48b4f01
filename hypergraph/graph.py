"""The hypergraph: nodes in topological order, edges as arrays.

Legend: node `i` of `num_nodes`; edge `e` of `num_edges`; `tails` of all edges lie in one array, those of edge `e` at
`tail_start[e]:tail_start[e + 1]` (CSR); edge `e` multiplies by weight `weight[e]`, or by one where that is UNWEIGHTED.
Many edges may share a weight, as the arc h → m does in Eisner's algorithm.
"""

from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_count, as_integers
from hypergraph.errors import GraphError, WeightError
from hypergraph.structure import Structure

if TYPE_CHECKING:
    import networkx

__all__ = ["UNWEIGHTED", "Hypergraph"]

UNWEIGHTED = -1
"""The weight index of an edge that multiplies by one."""


def _frozen(values: ArrayLike, dtype: type) -> NDArray[Any]:
    given = as_integers(values, "head, tail_start, tails and weight", GraphError)
    if given.ndim != 1:
        raise GraphError(f"head, tail_start, tails and weight have one axis, but one of them has shape {given.shape}")
    limits = np.iinfo(dtype)
    if given.size and (given.min() < limits.min or given.max() > limits.max):
        raise GraphError(f"{given.min()} … {given.max()} do not fit {limits.dtype}: there are no such nodes or weights")
    array: NDArray[Any] = np.array(given, dtype=dtype, order="C")  # a copy: the caller's array stays writable
    array.flags.writeable = False
    return array


def _as_int32(values: ArrayLike) -> NDArray[np.int32]:
    return _frozen(values, np.int32)


def _as_int64(values: ArrayLike) -> NDArray[np.int64]:
    return _frozen(values, np.int64)


def _nodes(value: Any) -> int:
    return as_count(value, "num_nodes", GraphError, least=1)


def _weights(value: Any) -> int:
    return as_count(value, "num_weights", GraphError)


def _root(value: Any) -> int:
    if not isinstance(value, int | np.integer):
        raise GraphError(f"root is {value!r}, but must be the number of a node")
    return int(value)


@frozen(eq=False, repr=False)
class Hypergraph(Structure):
    """An acyclic, directed hypergraph in which every derivation of `root` is an object and its edges the parts.

    Made by a `HypergraphBuilder` or by a ready structure; the arrays can be given directly as well.  Edges are grouped
    by head in ascending order, every tail of an edge is smaller than its head, and every node is the head of some edge
    (an edge without tails is an axiom), so that every node has a derivation.

    Parameters
    ----------
    head : (edges,) int32, ascending
    tail_start : (edges + 1,) int64
    tails : (tail_start[-1],) int32
    weight : (edges,) int32, an index of a weight or UNWEIGHTED
    num_nodes, num_weights : int
    root : int, by default the last node
    node_names, weight_names : names for messages, drawings and `weights`, or None

    Raises
    ------
    GraphError
        If the arrays do not describe such a graph; the message names the node or edge.

    Examples
    --------
    Two ways to derive node 1 from the axiom 0:

    >>> graph = Hypergraph(head=[0, 1, 1], tail_start=[0, 0, 1, 2], tails=[0, 0], weight=[-1, 0, 1],
    ...                    num_nodes=2, num_weights=2)
    >>> graph.num_edges, graph.root
    (3, 1)
    """

    head: NDArray[np.int32] = field(converter=_as_int32)
    tail_start: NDArray[np.int64] = field(converter=_as_int64)
    tails: NDArray[np.int32] = field(converter=_as_int32)
    weight: NDArray[np.int32] = field(converter=_as_int32)
    num_nodes: int = field(converter=_nodes)
    num_weights: int = field(converter=_weights)
    root: int = field(converter=_root)
    node_names: tuple[Hashable, ...] | None = field(default=None, repr=False)
    weight_names: tuple[Hashable, ...] | None = field(default=None, repr=False)

    @root.default
    def _last_node(self) -> int:
        return self.num_nodes - 1

    def __attrs_post_init__(self) -> None:
        self._validate()

    @property
    def graph(self) -> "Hypergraph":
        """The hypergraph itself, so that algorithms take a hypergraph where they take a structure."""
        return self

    @property
    def num_edges(self) -> int:
        """The number of edges."""
        return len(self.head)

    @cached_property
    def edge_start(self) -> NDArray[np.int64]:
        """Where the edges into each node begin: those of node i are `edge_start[i]:edge_start[i + 1]`."""
        return _as_int64(np.searchsorted(self.head, np.arange(self.num_nodes + 1)))

    @cached_property
    def weight_slot(self) -> NDArray[np.int64]:
        """(edges,): the weight index plus one, so that slot 0 stands for UNWEIGHTED and can be cut off."""
        return _as_int64(self.weight + 1)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What the kernels take: (edge_start, tail_start, tails, weight)."""
        return self.edge_start, self.tail_start, self.tails, self.weight

    def __repr__(self) -> str:
        return f"<Hypergraph: {self.num_nodes} nodes, {self.num_edges} edges, root {self.node_name(self.root)!r}>"

    def tails_of(self, edge: int) -> NDArray[np.int32]:
        """Return the tails of an edge, in order."""
        return self.tails[self.tail_start[edge] : self.tail_start[edge + 1]]

    def weights(self, values: Mapping[Hashable, float] | ArrayLike) -> NDArray[np.float64]:
        """Return the log-weights as one array, from a mapping by weight name or from an array.

        Raises
        ------
        WeightError
            If a name is missing or unknown, or a value is no log-weight.
        """
        if isinstance(values, Mapping):
            names = self.weight_names or tuple(range(self.num_weights))
            missing, unknown = [n for n in names if n not in values], values.keys() - set(names)
            if missing or unknown:
                raise WeightError(
                    f"weights by name: missing {missing or 'none'}, unknown {list(unknown) or 'none'}; "
                    f"give one value for each of graph.weight_names"
                )
            values = [values[name] for name in names]
        return self.check_weights(values)

    def node_name(self, node: int) -> str:
        """Return a node's name for people."""
        if self.node_names is None:
            return f"node {node}"
        name = self.node_names[node]
        return " ".join(map(str, name)) if isinstance(name, tuple) else str(name)

    def weight_name(self, index: int) -> str:
        """Return a weight's name for people."""
        return str(self.weight_names[index]) if self.weight_names else f"weight {index}"

    def edge_name(self, edge: int) -> str:
        """Return an edge's name for people: `head ← tails`."""
        tails = " ".join(self.node_name(int(t)) for t in self.tails_of(edge)) or "(axiom)"
        return f"{self.node_name(int(self.head[edge]))} ← {tails}"

    def decode(self, derivation: Any) -> Any:
        """Return the derivation itself: only a structure knows what it stands for."""
        return derivation

    def to_networkx(self) -> "networkx.DiGraph":
        """Return the bipartite digraph tail → edge → head; see `hypergraph.drawing`."""
        from hypergraph.drawing import to_networkx

        return to_networkx(self)

    def _validate(self) -> None:
        def refuse(bad: NDArray[np.bool_], describe: Any) -> None:
            if bad.any():
                raise GraphError(describe(int(np.argmax(bad))))

        edges, nodes = len(self.head), self.num_nodes
        if len(self.tail_start) != edges + 1 or len(self.weight) != edges:
            raise GraphError(
                f"{edges} edges need {edges + 1} tail starts and {edges} weight indices, "
                f"but there are {len(self.tail_start)} and {len(self.weight)}"
            )
        if self.tail_start[0] != 0 or self.tail_start[-1] != len(self.tails) or (np.diff(self.tail_start) < 0).any():
            raise GraphError(f"tail_start must ascend from 0 to the number of tails, {len(self.tails)}")
        if not 0 <= self.root < nodes:
            raise GraphError(f"the root is node {self.root}, but nodes are 0 … {nodes - 1}")
        refuse(
            (self.head < 0) | (self.head >= nodes),
            lambda e: f"edge {e}: its head {self.head[e]} is not a node",
        )
        refuse(
            np.diff(self.head, prepend=0) < 0,
            lambda e: (
                f"edge {e}: its head {self.head[e]} comes after head {self.head[e - 1]}; group edges by head, ascending"
            ),
        )
        head_of_tail = np.repeat(self.head, np.diff(self.tail_start))
        edge_of_tail = np.repeat(np.arange(edges), np.diff(self.tail_start))
        refuse(
            (self.tails < 0) | (self.tails >= nodes),
            lambda t: f"edge {edge_of_tail[t]}: unknown tail {self.tails[t]}; nodes are 0 … {nodes - 1}",
        )
        refuse(
            self.tails >= head_of_tail,
            lambda t: (
                f"edge {edge_of_tail[t]} ({self.edge_name(int(edge_of_tail[t]))}): its tail {self.tails[t]} does not "
                f"come before its head {head_of_tail[t]}: a cycle, or nodes not in topological order "
                f"(HypergraphBuilder sorts them)"
            ),
        )
        refuse(
            (self.weight < UNWEIGHTED) | (self.weight >= self.num_weights),
            lambda e: (
                f"edge {e} ({self.edge_name(e)}): weight index {self.weight[e]} is out of range: there are "
                f"{self.num_weights} weights, and {UNWEIGHTED} stands for none"
            ),
        )
        refuse(
            np.bincount(self.head, minlength=nodes) == 0,
            lambda i: (
                f"{self.node_name(i)!r} is the head of no edge, so nothing derives it: add an edge into it "
                f"(one without tails makes it an axiom)"
            ),
        )
