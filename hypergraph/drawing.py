"""Pictures of small hypergraphs: nodes as boxes with their names, edges as dots that join tails to a head.

The root is on top, axioms are below; an edge's dot carries the name of its weight.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from hypergraph.graph import UNWEIGHTED, Hypergraph
from hypergraph.structure import Structure

if TYPE_CHECKING:
    import networkx
    from matplotlib.axes import Axes

    from hypergraph.derivation import Derivation

__all__ = ["draw", "to_networkx"]

Point = tuple[float, float]


def to_networkx(structure: Structure) -> "networkx.DiGraph":
    """Return the bipartite digraph tail → edge → head.

    Nodes of the hypergraph are `("node", i)` with attribute `name`; edges are `("edge", e)` with attributes `weight`
    (index or None) and `name`.  The arcs from tails carry their `positions` among the tails: a tail may occur twice.

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> digraph = to_networkx(ProjectiveTrees(2))
    >>> digraph.number_of_nodes() == ProjectiveTrees(2).graph.num_nodes + ProjectiveTrees(2).graph.num_edges
    True
    """
    import networkx

    graph = structure.graph
    digraph = networkx.DiGraph()
    for node in range(graph.num_nodes):
        digraph.add_node(("node", node), kind="node", name=graph.node_name(node), root=node == graph.root)
    for edge in range(graph.num_edges):
        weight = int(graph.weight[edge])
        named = weight != UNWEIGHTED
        digraph.add_node(
            ("edge", edge),
            kind="edge",
            weight=weight if named else None,
            name=structure.weight_name(weight) if named else "",
        )
        digraph.add_edge(("edge", edge), ("node", int(graph.head[edge])))
        tails = graph.tails_of(edge).tolist()
        for tail in dict.fromkeys(tails):
            positions = tuple(position for position, other in enumerate(tails) if other == tail)
            digraph.add_edge(("node", tail), ("edge", edge), positions=positions)
    return digraph


def draw(structure: Structure, *, highlight: "Derivation | None" = None, axes: "Axes | None" = None) -> "Axes":
    """Draw a structure or hypergraph of a few dozen edges with matplotlib (extra `viz`).

    Parameters
    ----------
    highlight : a derivation whose edges stand out
    axes : where to draw; by default a new figure of a fitting size

    Returns
    -------
    The axes; `axes.figure.savefig("graph.svg")` writes the picture.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from hypergraph import HypergraphBuilder
    >>> builder = HypergraphBuilder()
    >>> builder.edge("goal", weight="one way")
    >>> draw(builder.build("goal")).figure.savefig("/dev/null", format="svg")
    """
    import matplotlib.pyplot as plt

    graph = structure.graph
    places, dots = _layout(graph)
    everything = np.array([*places.values(), *dots.values()])
    margin = np.array([0.7, 0.3])
    (west, south), (east, north) = everything.min(axis=0) - margin, everything.max(axis=0) + margin
    if axes is None:
        _, axes = plt.subplots(figsize=(1.5 * (east - west), 0.75 * (north - south)), layout="constrained")
    axes.set(xlim=(west, east), ylim=(south, north))
    chosen = set(highlight.edges.tolist()) if highlight is not None else set()
    for edge, dot in dots.items():
        colour = "#c0392b" if edge in chosen else "#7f8c8d"
        line: dict[str, Any] = {"color": colour, "linewidth": 2.2 if edge in chosen else 1.0}
        head = places[int(graph.head[edge])]
        axes.annotate("", head, dot, arrowprops={"arrowstyle": "-|>", "shrinkB": 12, "shrinkA": 0, **line}, zorder=1)
        tails = graph.tails_of(edge).tolist()
        for position, tail in enumerate(tails):
            bend = 0.25 * (position - (len(tails) - 1) / 2) if tails.count(tail) > 1 else 0.0
            style = {"arrowstyle": "-", "shrinkA": 0, "shrinkB": 0, "connectionstyle": f"arc3,rad={bend}", **line}
            axes.annotate("", dot, places[tail], arrowprops=style, zorder=1)
        axes.plot(*dot, "o", color=colour, markersize=5, zorder=2)
        weight = int(graph.weight[edge])
        if weight != UNWEIGHTED:
            label = structure.weight_name(weight)
            axes.annotate(
                label, dot, xytext=(6, -3), textcoords="offset points", fontsize=8, color=colour,
                bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}, zorder=3,
            )  # fmt: skip
    for node, place in places.items():
        box = {
            "boxstyle": "round,pad=0.35",
            "facecolor": "#fdebd0" if node == graph.root else "#eaf2f8",
            "edgecolor": "#34495e",
        }
        axes.annotate(graph.node_name(node), place, ha="center", va="center", fontsize=9, bbox=box, zorder=4)
    axes.set_axis_off()
    return axes


def _layout(graph: Hypergraph) -> tuple[dict[int, Point], dict[int, Point]]:
    """Place nodes in rows by height above the axioms, in each row near the mean of their tails; edges below heads."""
    height = np.zeros(graph.num_nodes, dtype=np.int64)
    for edge in range(graph.num_edges):
        tails = graph.tails_of(edge)
        if len(tails):
            height[graph.head[edge]] = max(height[graph.head[edge]], 1 + height[tails].max())
    across = np.zeros(graph.num_nodes)
    row_width = np.bincount(height).max()
    places: dict[int, Point] = {}
    for row in range(height.max() + 1):
        members = np.flatnonzero(height == row)
        if row:
            wish = [
                np.mean(np.concatenate([across[graph.tails_of(e)] for e in _edges_into(graph, int(i))]))
                for i in members
            ]
            members = members[np.argsort(wish, kind="stable")]
        gap = max(1.0, row_width / len(members) * 0.75)
        across[members] = gap * (np.arange(len(members)) - (len(members) - 1) / 2)
        places.update({int(i): (float(across[i]), 2.0 * row) for i in members})
    dots: dict[int, Point] = {}
    for node in range(graph.num_nodes):
        edges = list(_edges_into(graph, node))
        middle = (len(edges) - 1) / 2
        pull = [float(np.mean(across[graph.tails_of(e)])) if len(graph.tails_of(e)) else 0.0 for e in edges]
        for position, index in enumerate(np.argsort(pull, kind="stable")):
            x, y = places[node]
            dots[edges[index]] = (x + 0.6 * (position - middle), y - 0.9 - 0.12 * (position % 2))
    return places, dots


def _edges_into(graph: Hypergraph, node: int) -> range:
    return range(int(graph.edge_start[node]), int(graph.edge_start[node + 1]))
