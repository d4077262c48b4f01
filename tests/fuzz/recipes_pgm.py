"""Good calls."""
