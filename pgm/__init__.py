"""Factor graphs, belief propagation and learning through it: to come, on top of `hypergraph` and `autodiff`."""

__all__: list[str] = []
