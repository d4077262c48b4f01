"""Pictures of small factor graphs: variables round, factors square, each family in its colour."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pgm.graph import FactorGraph

if TYPE_CHECKING:
    import networkx
    from matplotlib.axes import Axes

__all__ = ["draw", "to_networkx"]

# Okabe & Ito's colours, which most colour-blind people can tell apart; black is for text.
_COLOURS = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999")


def to_networkx(graph: FactorGraph) -> "networkx.Graph":
    """Return the bipartite graph: nodes `("variable", i)` and `("factor", family, row)`, each with a `name`.

    Edges carry the `position` of the variable among those of the factor.

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> chain = graph.variables("x", shape=(3,))
    >>> _ = graph.add(Table(chain[[[0, 1], [1, 2]]], [[1.0, 0.0], [0.0, 1.0]]))
    >>> sorted(to_networkx(graph).edges(("factor", 0, 1)))
    [(('factor', 0, 1), ('variable', 1)), (('factor', 0, 1), ('variable', 2))]
    """
    import networkx

    result = networkx.Graph()
    for index in range(graph.num_variables):
        result.add_node(("variable", index), kind="variable", name=graph.variable_at(index).name)
    for number, family in enumerate(graph.families):
        for row, variables in enumerate(family.variables.tolist()):
            result.add_node(("factor", number, row), kind="factor", name=family.name)
            for position, index in enumerate(variables):
                result.add_edge(("factor", number, row), ("variable", index), position=position)
    return result


def draw(graph: FactorGraph, *, axes: "Axes | None" = None) -> "Axes":
    """Draw a graph of up to some hundred nodes with matplotlib (extra `viz`).

    Parameters
    ----------
    axes : where to draw; by default a new figure of a fitting size

    Returns
    -------
    The axes; `axes.figure.savefig("graph.svg")` writes the picture.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> _ = graph.add(Table([graph.variable("rain")], [0.0, 1.0]))
    >>> draw(graph).figure.savefig("/dev/null", format="svg")
    """
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    bipartite = to_networkx(graph)
    places = dict(_places(bipartite))
    xs, ys = zip(*places.values(), strict=True) if places else ((0.0,), (0.0,))
    across, up = (min(xs) - 0.8, max(xs) + 0.8), (min(ys) - 0.8, max(ys) + 0.8)
    if axes is None:
        width, height = (min(0.6 * (high - low), 20.0) for low, high in (across, up))
        _, axes = plt.subplots(figsize=(width + 2.2, max(height, 2.0)), layout="constrained")
    axes.update_datalim(list(zip(across, up, strict=True)))
    axes.autoscale_view()
    axes.set_aspect("equal", adjustable="datalim")
    for one, other in bipartite.edges:
        (x0, y0), (x1, y1) = places[one], places[other]
        axes.plot([x0, x1], [y0, y1], color="#7f8c8d", linewidth=1.2, zorder=1)
    for node, data in bipartite.nodes(data=True):
        if data["kind"] == "variable":
            box = {"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": "#2c3e50", "linewidth": 1.2}
            label = data["name"].replace("[", "\n[", 1)
            size = 9 if max(map(len, label.split("\n"))) <= 6 else 7
            axes.annotate(label, places[node], ha="center", va="center", fontsize=size, bbox=box, zorder=3)
        else:
            colour = _COLOURS[node[1] % len(_COLOURS)]
            axes.plot(*places[node], "s", color=colour, markeredgecolor="#2c3e50", markersize=11, zorder=2)
    legend = [
        Line2D([], [], marker="s", linestyle="", color=_COLOURS[number % len(_COLOURS)], markeredgecolor="#2c3e50",
               markersize=9, label=f"{family.name}" + (f" × {family.num_factors}" if family.num_factors > 1 else ""))
        for number, family in enumerate(graph.families[:20])
    ]  # fmt: skip
    if legend:
        title = "factors" if len(graph.families) <= 20 else f"factors (20 of {len(graph.families)} families)"
        axes.legend(handles=legend, title=title, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    axes.set_axis_off()
    return axes


def _places(bipartite: "networkx.Graph") -> Iterator[tuple[tuple, tuple[float, float]]]:
    """Place the nodes: each component by its shortest paths, the components beside each other."""
    import networkx

    left = 0.0
    components = sorted(networkx.connected_components(bipartite), key=len, reverse=True)
    for component in components:
        part = networkx.Graph()  # with its nodes in order: the same graph gives the same picture
        part.add_nodes_from(sorted(component))
        part.add_edges_from(sorted(bipartite.edges(component)))
        size = len(part) ** 0.5
        if len(part) == 1:
            placed = {node: (0.0, 0.0) for node in part}
        elif len(part) <= 200:
            placed = networkx.kamada_kawai_layout(part, scale=size)
        else:  # that takes time cubic in the number of nodes
            placed = networkx.spring_layout(part, scale=size, seed=0)
        west = min(float(x) for x, _ in placed.values())
        for node, (x, y) in placed.items():
            yield node, (float(x) - west + left, float(y))
        left += max(float(x) for x, _ in placed.values()) - west + 2.0
