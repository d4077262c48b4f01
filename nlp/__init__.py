"""Language: trees over words, and the dependency parser `nlp.deps` (to come)."""

__all__: list[str] = []
