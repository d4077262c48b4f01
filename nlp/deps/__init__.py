"""The dependency parser (to come); for now a demonstration, `tacana demo`."""

__all__: list[str] = []
