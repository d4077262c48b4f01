"""Damaged model files and checkpoints: refused in one line that names the file, or the same as before."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from safetensors.numpy import load_file, save_file

from autodiff.files import write_tensors
from nlp.command import main
from nlp.deps import DependencyParser, ModelFileError
from oracles.mutations import mutated
from oracles.sentences import invented_sentences
from pgm.learning import TrainingError

OPTIONS = {"bits": 8, "learning_rate": 0.02, "epochs": 3}


def labelled(count):
    return [s.with_heads(s.heads, [f"of {tag}" for tag in s.tags]) for s in invented_sentences(count)]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A small model with all kinds of arrays."""
    path = tmp_path_factory.mktemp("model") / "m.tacana"
    DependencyParser(length_bounds=True, folds=1, **OPTIONS).fit(labelled(12)).save(path)
    return path


def content(parser):
    model = parser.model
    weights = [*model.scorer.parameters().values(), *model.pruner.model.scorer.parameters().values()]
    owners = (model.scorer.vocabulary, model.relations, model.pruner.bounds)
    arrays = [*(one.read() for one in weights), *(array for one in owners for array in one.to_arrays().values())]
    return json.dumps([parser.describe(), str(parser.history)]), [array.tobytes() for array in arrays]


def refusal(path, error):
    """Load a model; the message with which it is refused, or None."""
    try:
        return None, DependencyParser.load(path)
    except error as found:
        return str(found), None


@pytest.mark.parametrize("count", [1000, pytest.param(5000, marks=pytest.mark.slow)])
def test_damaged_models_are_refused_or_the_same(model, tmp_path, count):
    whole, rng, path = model.read_bytes(), np.random.default_rng(0), tmp_path / "damaged.tacana"
    expected = content(DependencyParser.load(model))
    kinds = {}
    for _ in range(count):
        kind, data = mutated(whole, rng)
        path.write_bytes(data)
        message, parser = refusal(path, ModelFileError)
        if message is None:
            assert content(parser) == expected, kind
        else:
            assert message.startswith(str(path)), (kind, message)
            assert "\n" not in message, (kind, message)
            kinds[kind] = kinds.get(kind, 0) + 1
    assert len(kinds) == 9
    assert sum(kinds.values()) > 0.9 * count, kinds


def resealed(model, path, arrays=None, change=None):
    """Write the content of a model with other arrays or settings, and a checksum that is right."""
    from safetensors import safe_open

    with safe_open(model, framework="numpy") as file:
        about = json.loads(file.metadata()["tacana"])
    kept = {name: array for name, array in load_file(model).items() if name != "checksum"}
    if change is not None:
        change(about)
    write_tensors(path, {**kept, **(arrays or {})}, "tacana", json.dumps(about, sort_keys=True))
    return path


def put(*path):
    *places, last, value = path

    def change(about):
        for place in places:
            about = about[place]
        about[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("sections", "settings", "tree", "colour", 3), "TreeSettings has no setting 'colour'"),
        (put("sections", "settings", "learning", "colour", 3), "LearningSettings has no setting 'colour'"),
        (put("sections", "settings", "pruning", "colour", 3), "PruningSettings has no setting 'colour'"),
        (put("sections", "settings", "kinds", "uncles", True), "PartSwitches has no setting 'uncles'"),
        (put("sections", "settings", "inference", "colour", 3), "LoopyInference has no setting 'colour'"),
        (put("sections", "settings", "objective", 0, "colour", 3), "L2Distance has no setting 'colour'"),
        (put("sections", "settings", "update", "colour", 3), "AdaGrad has no setting 'colour'"),
        (put("sections", "settings", "colour", {"red": 1}), "the settings are not those that a parser writes"),
        (put("sections", "colour", {}), "its sections have or lack 'colour'"),
        (lambda about: about["sections"].pop("history"), "no settings, templates or history"),
        (lambda about: about["sections"].pop("weights"), "its sections have or lack 'weights'"),
        (lambda about: about["sections"]["settings"].pop("decoder"), "the settings lack 'decoder'"),
        (lambda about: about["sections"]["settings"]["tree"].pop("roots"), "lacks the setting 'roots'"),
        (put("sections", "settings", "parts", "order", True), "order is 'True'"),
        (put("sections", "settings", "inference", "iterations", -1), "iterations"),
        (put("sections", "settings", "inference", "name", "guess"), "there is no DependencyInference 'guess'"),
        (put("sections", "settings", "objective", [{"name": "none"}]), "there is no Objective 'none'"),
        (put("sections", "settings", "objective", {"name": "l2"}), "expected a list"),
        (put("sections", "settings", "objective", []), "expected a list"),
        (put("sections", "settings", "kinds", "siblings", "yes"), "siblings is 'yes'"),
        (put("sections", "settings", "tree", "tree", "oak"), "tree is 'oak'"),
        (
            put("sections", "settings", "scoring", "bits", 9),
            r"'pruner/weights' is float32 \(256,\), expected float32 \(512\)",
        ),
        (put("sections", "settings", "scoring", "bits", 99), "bits is .*28"),
        (put("sections", "settings", "decoder", "ring"), "Decoder: 'ring', expected settings with a name"),
        (put("sections", "settings", "pruning", "length_bounds", False), "its sections have or lack 'bounds'"),
        (put("sections", "settings", "parts", "labels", "none"), "its sections have or lack 'relations'"),
        (put("sections", "templates", "arc", "h.colour\n"), "no attribute 'colour'"),
        (put("sections", "templates", "arc", 7), "templates are no texts"),
        (put("sections", "history", "epochs", 0, "number", 2), "epoch 2 where epoch 1 is due"),
        (put("sections", "history", "epochs", 5), "expected a list of epochs"),
        (put("sections", "history", "best", True), "the history is none"),
        (put("sections", "vocabulary", {"colour": 3}), "'vocabulary' has settings"),
        (put("sections", None), "expected format, version and sections"),
        (put("version", 1), "written by an older version of tacana .format 1; this one reads 3.: train the model anew"),
        (put("version", 2), "written by an older version of tacana .format 2; this one reads 3.: train the model anew"),
        (put("version", 4), "written by a newer version of tacana .format 4; this one reads 3.: update tacana"),
        (put("format", "recipe"), "not a model of tacana"),
        (put("format", "tacana tagger"), "a tagger, not a dependency model"),
    ],
)
def test_settings_that_no_parser_writes_are_refused_with_a_right_checksum(model, tmp_path, change, message):
    path = resealed(model, tmp_path / "m.tacana", change=change)
    with pytest.raises(ModelFileError, match=message) as caught:
        DependencyParser.load(path)
    assert "\n" not in str(caught.value)
    result = CliRunner().invoke(main, ["info", str(path)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert str(path) in result.stderr


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"weights/weights": np.zeros(256)}, r"'weights/weights' is float64 \(256,\), expected float32 \(256\)"),
        ({"weights/weights": np.zeros(9, dtype=np.float32)}, r"weights are of shape \(9,\), .* settings .* \(256,\)"),
        ({"weights/more": np.zeros(9, dtype=np.float32)}, r"weights of .*'more'.*, and the settings are for"),
        ({"weights/weights": np.full(256, np.nan, dtype=np.float32)}, "weights are not all finite"),
        ({"weights/relations": np.full(256, np.inf, dtype=np.float32)}, "relations are not all finite"),
        ({"weights/relations": np.zeros(9, dtype=np.float32)}, r"relations are of shape \(9,\)"),
        ({"vocabulary/counts": np.zeros(2, dtype=np.int64)}, r"counts int64 \(2,\)"),
        ({"vocabulary/vocabulary": np.frombuffer(b"[1, 2", dtype=np.uint8)}, "no JSON"),
        ({"vocabulary/vocabulary": np.frombuffer(b"\xff\xfe", dtype=np.uint8)}, "no JSON"),
        ({"vocabulary/vocabulary": np.frombuffer(b"[" * 99999, dtype=np.uint8)}, "no JSON"),
        ({"vocabulary/vocabulary": np.frombuffer(b"{}", dtype=np.uint8)}, "no vocabulary"),
        ({"bounds/bounds": np.zeros((2, 2, 2), dtype=np.int32)}, "length bounds"),
        ({"bounds/tags": np.frombuffer(b"\xff", dtype=np.uint8)}, "not UTF-8"),
        ({"relations/names": np.frombuffer(b"\xff", dtype=np.uint8)}, "not UTF-8"),
        ({"relations/names": np.frombuffer(b"a\na", dtype=np.uint8)}, "no different texts"),
        ({"relations/names": np.frombuffer(b"a\nb", dtype=np.uint8)}, "relations: members must rise"),
        ({"relations/sets": np.zeros((1, 2), dtype=np.int32)}, r"relations: .* sets of shape \(1, 2\)"),
        ({"relations/starts": np.array([0, 99])}, "relations: starts"),
        ({"more": np.zeros(3)}, "'more' that does not belong"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_with_a_right_checksum(model, tmp_path, arrays, message):
    with pytest.raises(ModelFileError, match=message):
        DependencyParser.load(resealed(model, tmp_path / "m.tacana", arrays=arrays))


def test_files_of_the_first_version_are_told_so(model, tmp_path):
    arrays = {name: array for name, array in load_file(model).items() if name != "checksum"}
    about = {"format": "tacana dependency model", "version": 1, "settings": {}}
    save_file(arrays, tmp_path / "old.tacana", metadata={"tacana": json.dumps(about)})
    with pytest.raises(ModelFileError, match=r"old\.tacana: written by an older version"):
        DependencyParser.load(tmp_path / "old.tacana")


class Stopped(Exception):
    pass


def stop(line):
    if line.startswith("epoch 2"):
        raise Stopped


def test_damaged_checkpoints_are_refused_or_the_same(tmp_path):
    sentences, path = invented_sentences(6), tmp_path / "m.tacana"
    options = {**OPTIONS, "order": 1}
    with pytest.raises(Stopped):
        DependencyParser(**options).fit(sentences, save_to=path, report=stop)
    checkpoint = tmp_path / "m.tacana.checkpoint"
    whole, rng, refused = checkpoint.read_bytes(), np.random.default_rng(0), 0
    expected = DependencyParser(**options).fit(sentences).model.scorer.weights.read().tobytes()
    for _ in range(400):
        kind, data = mutated(whole, rng)
        checkpoint.write_bytes(data)
        message = None
        try:
            parser = DependencyParser(**options).fit(sentences, save_to=path, resume=True)
        except TrainingError as error:
            message = str(error)
        if message is None:
            assert parser.model.scorer.weights.read().tobytes() == expected, kind
        else:
            assert message.startswith(str(checkpoint)), (kind, message)
            assert "\n" not in message, (kind, message)
            refused += 1
    assert refused > 350
