"""The default templates.

ARC is that of McDonald, Crammer & Pereira (2005) with the lemmas, coarse tags, morphology and wider contexts of Martins
et al. (2010); GRANDPARENT, SIBLING and CHILDSEQ follow Carreras (2007), NOCROSS Smith & Eisner (2008); PRUNER is a
smaller ARC, of tags above all.
Templates that need a column which the data lacks are dropped when a model is fitted (`TemplateSet.without`).
"""

from nlp.features.templates import parse_templates

__all__ = ["ARC", "CHILDSEQ", "DEFAULTS", "GRANDPARENT", "NOCROSS", "PRUNER", "RELATION", "SIBLING"]

_ARC = """
[arc]
# One word.
dir dist?
h.form dir dist?
h.lemma dir
h.tag dir dist?
h.coarse dir dist?
h.form h.tag dir dist?
h.morph dir
h.morph h.tag dir
m.form dir dist?
m.lemma dir
m.tag dir dist?
m.coarse dir dist?
m.form m.tag dir dist?
m.morph dir
m.morph m.tag dir
# Both words.
h.tag m.tag dir dist?
h.coarse m.coarse dir dist?
h.form m.form dir dist?
h.lemma m.lemma dir dist?
h.form m.tag dir dist?
h.tag m.form dir dist?
h.lemma m.tag dir dist?
h.tag m.lemma dir dist?
h.form h.tag m.tag dir dist?
h.tag m.form m.tag dir dist?
h.form h.tag m.form dir
h.form m.form m.tag dir
h.form h.tag m.form m.tag dir dist?
h.morph m.morph dir
h.morph h.tag m.morph m.tag dir
h.morph m.tag dir
h.tag m.morph dir
# Words that are rare or new.
h.tag m.tag m.suffix3 dir dist?
h.tag h.suffix3 m.tag dir dist?
h.tag h.suffix2 m.tag m.suffix2 dir
h.tag m.tag m.prefix3 dir
h.tag m.tag m.shape dir
h.tag h.shape m.tag dir
h.tag h.frequency m.tag m.frequency dir
# Words around them.
h.tag h.tag+1 m.tag-1 m.tag dir dist?
h.tag-1 h.tag m.tag-1 m.tag dir dist?
h.tag h.tag+1 m.tag m.tag+1 dir dist?
h.tag-1 h.tag m.tag m.tag+1 dir dist?
h.tag h.tag+1 m.tag dir dist?
h.tag-1 h.tag m.tag dir dist?
h.tag m.tag-1 m.tag dir dist?
h.tag m.tag m.tag+1 dir dist?
h.tag+1 m.tag-1 m.tag dir
h.tag-1 m.tag m.tag+1 dir
h.tag h.tag+1 m.tag-1 dir
h.tag-1 h.tag m.tag+1 dir
h.tag-1 h.tag h.tag+1 m.tag dir
h.tag m.tag-1 m.tag m.tag+1 dir
h.tag-1 h.tag h.tag+1 m.tag-1 m.tag m.tag+1 dir
h.tag-2 h.tag-1 h.tag m.tag dir
h.tag h.tag+1 h.tag+2 m.tag dir
h.tag m.tag-2 m.tag-1 m.tag dir
h.tag m.tag m.tag+1 m.tag+2 dir
h.coarse h.coarse+1 m.coarse-1 m.coarse dir dist?
h.coarse-1 h.coarse m.coarse-1 m.coarse dir dist?
h.coarse h.coarse+1 m.coarse m.coarse+1 dir dist?
h.coarse-1 h.coarse m.coarse m.coarse+1 dir dist?
h.tag m.form-1 m.tag dir
h.tag m.tag m.form+1 dir
h.form-1 h.tag m.tag dir
h.tag h.form+1 m.tag dir
h.tag m.lemma m.tag-1 dir
h.tag m.lemma m.tag+1 dir
h.lemma h.tag-1 m.tag dir
h.lemma h.tag+1 m.tag dir
# What is between them.
between.tag h.tag m.tag dir dist?
between.coarse h.coarse m.coarse dir
between.tag h.form m.tag dir
between.tag h.tag m.form dir
between.punctuation h.tag m.tag dir
between.predicate h.tag m.tag dir
between.conjunction h.tag m.tag dir
between.punctuation between.predicate between.conjunction dir dist?
between.punctuation between.predicate h.coarse m.coarse dir
"""

_PRUNER = """
[pruner]
dir dist
h.form dir
m.form dir dist?
h.tag dir dist?
m.tag dir dist?
h.coarse dir dist?
m.coarse dir dist?
h.tag m.tag dir dist?
h.coarse m.coarse dir dist?
h.form m.tag dir
h.tag m.form dir
h.tag h.tag+1 m.tag-1 m.tag dir dist?
h.tag-1 h.tag m.tag-1 m.tag dir
h.tag h.tag+1 m.tag m.tag+1 dir
h.tag-1 h.tag m.tag m.tag+1 dir dist?
h.tag m.tag-1 m.tag dir
h.tag m.tag m.tag+1 dir dist?
h.tag h.tag+1 m.tag dir dist?
h.tag-1 h.tag m.tag dir
h.tag m.tag-1 m.tag m.tag+1 dir
h.coarse-1 h.coarse h.coarse+1 m.coarse-1 m.coarse m.coarse+1 dir
h.tag m.tag m.suffix3 dir
between.tag h.tag m.tag dir
between.punctuation h.tag m.tag dir
between.predicate h.tag m.tag dir
between.punctuation between.predicate between.conjunction dir dist
"""

_GRANDPARENT = """
[grandparent]
# Three words.
shape.gp dir dir.gh
g.tag h.tag m.tag shape.gp dir
g.coarse h.coarse m.coarse shape.gp dir
g.tag h.tag m.tag shape.gp dir dist dist.gh
g.form h.tag m.tag shape.gp dir
g.tag h.form m.tag shape.gp dir
g.tag h.tag m.form shape.gp dir
g.form h.form m.tag shape.gp dir
g.form h.tag m.form shape.gp dir
g.tag h.form m.form shape.gp dir
g.lemma h.tag m.tag shape.gp dir
g.tag h.lemma m.tag shape.gp dir
g.tag h.tag m.lemma shape.gp dir
g.lemma h.lemma m.lemma shape.gp dir
g.tag h.tag m.tag-1 m.tag shape.gp dir
g.tag h.tag m.tag m.tag+1 shape.gp dir
g.tag h.tag-1 h.tag m.tag shape.gp dir
g.tag h.tag h.tag+1 m.tag shape.gp dir
g.tag-1 g.tag h.tag m.tag shape.gp dir
g.tag g.tag+1 h.tag m.tag shape.gp dir
g.tag m.tag shape.gp dir
# Two of them, at the cost of the pairs alone.
g.tag m.tag dir.gm dist.gm?
g.coarse m.coarse dir.gm dist.gm?
g.form m.tag dir.gm dist.gm?
g.tag m.form dir.gm dist.gm?
g.form m.form dir.gm
g.form g.tag m.tag dir.gm dist.gm
g.tag m.form m.tag dir.gm dist.gm
g.lemma m.tag dir.gm dist.gm?
g.tag m.lemma dir.gm dist.gm?
g.lemma m.lemma dir.gm
g.tag m.tag m.suffix3 dir.gm
g.tag g.suffix3 m.tag dir.gm
g.morph m.morph dir.gm
g.morph m.tag dir.gm
g.tag m.morph dir.gm
g.tag g.tag+1 m.tag-1 m.tag dir.gm dist.gm?
g.tag-1 g.tag m.tag m.tag+1 dir.gm dist.gm?
g.tag-1 g.tag m.tag-1 m.tag dir.gm dist.gm?
g.tag g.tag+1 m.tag m.tag+1 dir.gm dist.gm?
g.tag g.tag+1 m.tag dir.gm dist.gm?
g.tag-1 g.tag m.tag dir.gm dist.gm?
g.tag m.tag-1 m.tag dir.gm dist.gm?
g.tag m.tag m.tag+1 dir.gm dist.gm?
between.coarse.gm g.coarse m.coarse dir.gm
between.punctuation.gm g.tag m.tag dir.gm
between.predicate.gm g.tag m.tag dir.gm
between.conjunction.gm g.tag m.tag dir.gm
"""

_SIBLING = """
[sibling]
# Three words.
side adjacent dir dist.ms
h.tag m.tag s.tag side dir
h.coarse m.coarse s.coarse side dir
h.tag m.tag s.tag side dir dist.ms
h.coarse m.coarse s.coarse side dir dist dist.ms
h.form m.tag s.tag side dir
h.tag m.form s.tag side dir
h.tag m.tag s.form side dir
h.form m.form s.tag side dir
h.form m.tag s.form side dir
h.tag m.form s.form side dir
h.lemma m.tag s.tag side dir
h.tag m.lemma s.tag side dir
h.tag m.tag s.lemma side dir
h.lemma m.lemma s.lemma side dir
h.tag m.tag-1 m.tag s.tag side dir
h.tag m.tag m.tag+1 s.tag side dir
h.tag m.tag s.tag-1 s.tag side dir
h.tag m.tag s.tag s.tag+1 side dir
h.coarse m.coarse s.coarse between.punctuation.ms between.conjunction.ms side dir
m.tag s.tag side dir adjacent
m.form s.form side dir
# Two of them, at the cost of the pairs alone.
m.tag s.tag dir.ms dist.ms?
m.coarse s.coarse dir.ms dist.ms?
m.form s.tag dir.ms dist.ms?
m.tag s.form dir.ms dist.ms?
m.form s.form dir.ms
m.form m.tag s.tag dir.ms dist.ms
m.tag s.form s.tag dir.ms dist.ms
m.lemma s.tag dir.ms dist.ms?
m.tag s.lemma dir.ms dist.ms?
m.lemma s.lemma dir.ms
m.tag s.tag s.suffix3 dir.ms
m.tag m.suffix3 s.tag dir.ms
m.morph s.morph dir.ms
m.morph s.tag dir.ms
m.tag s.morph dir.ms
m.tag m.tag+1 s.tag-1 s.tag dir.ms dist.ms?
m.tag-1 m.tag s.tag s.tag+1 dir.ms dist.ms?
m.tag-1 m.tag s.tag-1 s.tag dir.ms dist.ms?
m.tag m.tag+1 s.tag s.tag+1 dir.ms dist.ms?
m.tag m.tag+1 s.tag dir.ms dist.ms?
m.tag-1 m.tag s.tag dir.ms dist.ms?
m.tag s.tag-1 s.tag dir.ms dist.ms?
m.tag s.tag s.tag+1 dir.ms dist.ms?
between.coarse.ms m.coarse s.coarse dir.ms
between.punctuation.ms m.tag s.tag dir.ms
between.predicate.ms m.tag s.tag dir.ms
between.conjunction.ms m.tag s.tag dir.ms
"""

# A child, and the one before it on the same side; `side` tells apart a first child, where s is h.
_CHILDSEQ = """
[childseq]
side dir dist.ms
side dir dist
s.tag m.tag side dir
s.coarse m.coarse side dir
h.tag s.tag m.tag side dir
h.coarse s.coarse m.coarse side dir
h.tag s.tag m.tag side dir dist.ms
h.coarse s.coarse m.coarse side dir dist dist.ms
h.form s.tag m.tag side dir
h.tag s.form m.tag side dir
h.tag s.tag m.form side dir
h.lemma s.tag m.tag side dir
h.tag s.lemma m.tag side dir
h.tag s.tag m.lemma side dir
h.lemma s.lemma m.tag side dir
h.lemma s.tag m.lemma side dir
h.tag s.lemma m.lemma side dir
h.tag s.tag m.tag-1 m.tag side dir
h.tag s.tag m.tag m.tag+1 side dir
h.tag s.tag-1 s.tag m.tag side dir
h.tag s.tag s.tag+1 m.tag side dir
s.form m.tag side dir
s.tag m.form side dir
s.form m.form side dir
s.lemma m.lemma side dir
"""

# Two words whose arcs cross: what Smith & Eisner (2008) ask of them.
_NOCROSS = """
[nocross]
bias
h.tag
m.tag
h.coarse
m.coarse
h.tag m.tag
h.coarse m.coarse
"""

# Features of an arc, each with every relation that the arc may have.
_RELATION = """
[relation]
dir dist
h.tag m.tag dir dist?
h.coarse m.coarse dir dist
h.form m.form dir
h.lemma m.lemma dir
h.lemma m.tag dir
h.tag m.lemma dir
m.form m.tag dir
m.lemma dir dist
h.lemma h.tag dir
h.form m.tag dir
h.tag m.form dir
h.coarse m.lemma m.tag dir
h.coarse m.lemma m.lemma+1 dir
h.coarse m.lemma-1 m.lemma dir
h.coarse m.lemma-1 m.tag dir
h.coarse m.lemma-2 m.tag dir
h.lemma m.lemma-1 m.tag dir
h.tag m.tag m.form+1 dir
h.tag m.tag-1 m.tag m.tag+1 dir
h.tag m.tag-2 m.tag-1 m.tag dir
h.tag m.tag m.tag+1 m.tag+2 dir
h.tag h.tag+1 m.tag dir
h.tag-1 h.tag m.tag dir
h.tag-1 h.tag h.tag+1 m.tag-1 m.tag m.tag+1 dir
between.tag h.coarse m.coarse dir
between.coarse h.coarse m.coarse dir
between.tag h.lemma m.coarse dir
between.punctuation between.predicate between.conjunction h.coarse m.coarse dir
between.punctuation h.coarse m.coarse dir dist
h.morph m.coarse dir
h.coarse m.morph dir
h.morph m.morph dir
h.coarse m.suffix3 m.tag dir
h.suffix3 h.tag m.tag dir
h.coarse m.shape m.coarse dir
h.lemma m.suffix3 dir
"""

DEFAULTS = parse_templates(
    _ARC + _PRUNER + _GRANDPARENT + _SIBLING + _CHILDSEQ + _NOCROSS + _RELATION, source="nlp.features.defaults"
)
ARC = DEFAULTS["arc"]
PRUNER = DEFAULTS["pruner"]
GRANDPARENT = DEFAULTS["grandparent"]
SIBLING = DEFAULTS["sibling"]
CHILDSEQ = DEFAULTS["childseq"]
NOCROSS = DEFAULTS["nocross"]
RELATION = DEFAULTS["relation"]
