"""Decoders of dependency trees beside those for any model (`pgm.learning.decoders`), one a file."""

from nlp.deps.decoders.hill_climbing import HillClimbing

__all__ = ["HillClimbing"]
