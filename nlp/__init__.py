"""Language: treebanks (`nlp.conll`), features (`nlp.features`), scores (`nlp.evaluation`), the parser (`nlp.deps`)."""

__all__: list[str] = []
