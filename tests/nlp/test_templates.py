"""Templates are data: what can be written, and what is said of what cannot."""

from functools import partial

import pytest

from nlp import features
from nlp.deps import default_templates
from nlp.features import TemplateError, TemplateSet

ROLES = {"arc": "hm", "grandparent": "ghm", "sibling": "hms", "pruner": "hm"}
DEFAULTS = default_templates()
parse_templates = partial(features.parse_templates, roles=ROLES)
read_templates = partial(features.read_templates, roles=ROLES)


def test_optional_atoms_are_expanded_and_comments_dropped():
    sets = parse_templates("# comment\nh.tag m.tag dir dist?  # both\n\n[sibling]\nside? adjacent? m.tag\n")
    assert [template.text for template in sets["arc"]] == ["dir h.tag m.tag", "dir dist h.tag m.tag"]
    assert len(sets["sibling"]) == 4
    assert sets["sibling"].roles == ("h", "m", "s")


def test_sections_may_come_in_pieces():
    sets = parse_templates("[arc]\nbias\n[pruner]\nbias\n[arc]\ndir\n")
    assert [template.text for template in sets["arc"]] == ["bias", "dir"]
    assert sets["pruner"].roles == ("h", "m")
    assert sets["pruner"].name == "pruner"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("h.tag\nh.tg m.tag", 2, "'h.tg'"),
        ("h.tag+0", 1, r"'h.tag\+0'"),
        ("h.tag+100", 1, r"'h.tag\+100'"),
        ("x.tag", 1, "'x.tag'"),
        ("h", 1, "'h'"),
        ("g.tag m.tag", 1, "'g.tag'"),
        ("s.tag", 1, "'s.tag'"),
        ("shape.gp", 1, "'shape.gp'"),
        ("dir.gm", 1, "'dir.gm'"),
        ("dir.hh", 1, "'dir.hh'"),
        ("h.morph+1", 1, r"'h.morph\+1'"),
        ("between.form", 1, "'between.form'"),
        ("between.tag.gm", 1, "'between.tag.gm'"),
        ("[grandparent]\nbetween.tag.gg", 2, "'between.tag.gg'"),
        ("[grandparent]\nbetween.tag.gm h.tag", 2, "'between.tag.gm'"),
        ("h.tag h.tag", 1, "'h.tag' occurs twice"),
        ("dir?", 1, "without any atom"),
        ("h.morph m.morph between.tag", 1, "at most 2"),
        ("dir\nh.tag dir\ndir h.tag", 3, "given before, at <templates>:2"),
        ("dir\n[arcs]\n", 2, r"\[arcs\]"),
        ("[arc", 1, r"\[arc"),
        ("[sibling]\ng.tag", 2, "'g.tag'.*the roles of these parts are h, m, s"),
    ],
)
def test_errors_name_line_and_atom(text, line, said):
    with pytest.raises(TemplateError, match=f"^<templates>:{line}: .*{said}"):
        parse_templates(text)


@pytest.mark.parametrize("roles", ["", "h", "hmsg", "hh", ("head", "m"), "HM", (1, 2)])
def test_what_no_part_can_be_is_refused(roles):
    with pytest.raises(ValueError, match="expected two or three different letters"):
        TemplateSet.of("arc", roles, "bias")


def test_questions_about_three_words_ask_for_their_order():
    assert len(TemplateSet.of("sibling", "hms", "side")) == 1
    with pytest.raises(TemplateError, match=r"\[odd\]:1: atom 'side' is for parts of h, m, s in this order"):
        TemplateSet.of("odd", "smh", "side")


def test_a_file_is_named(tmp_path):
    path = tmp_path / "mine.templates"
    path.write_text("[arc]\nh.tag m.nothing\n", encoding="utf-8")
    with pytest.raises(TemplateError, match=r"mine\.templates:2: atom 'm\.nothing'"):
        read_templates(path)
    path.write_bytes(b"h.tag \xff")
    with pytest.raises(TemplateError, match=r"mine\.templates: not UTF-8"):
        read_templates(path)


def test_templates_that_need_absent_columns_are_dropped():
    arcs = parse_templates("h.lemma-1 dir\nh.morph\nbetween.coarse\nbetween.predicate\nh.form m.tag")["arc"]
    assert len(arcs.without(frozenset())) == 5
    kept = arcs.without(frozenset({"lemma", "morph", "coarse"}))
    assert kept.text == "between.tag\nbetween.predicate\nh.form m.tag\n"
    assert arcs.without(frozenset({"lemma", "morph", "coarse", "tag"})).text == ""


def test_tags_stand_in_for_coarse_tags():
    arcs = parse_templates("h.coarse m.tag dir\nh.tag m.tag dir\nh.coarse+1 h.tag+1 dist\nh.coarse")["arc"]
    found = arcs.without(frozenset({"coarse"}))
    assert found.text == "dir h.tag m.tag\ndist h.tag+1\nh.tag\n"
    assert [template.atoms for template in found] == [template.atoms for template in parse_templates(found.text)["arc"]]
    assert arcs.without(frozenset({"lemma", "morph", "coarse", "tag"})).text == ""


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_survive_a_round_trip(name):
    again = features.parse_templates(f"[{name}]\n{DEFAULTS[name].text}", roles={name: DEFAULTS[name].roles})
    assert again == {name: DEFAULTS[name]}


def test_defaults_name_no_tag():
    """Tag sets differ: no default template may depend on the names of tags."""
    assert {atom.question for name in DEFAULTS for template in DEFAULTS[name] for atom in template.atoms} <= {
        "word", "morph", "between", "count", "dir", "dist", "shape", "side", "adjacent", "bias",
    }  # fmt: skip
