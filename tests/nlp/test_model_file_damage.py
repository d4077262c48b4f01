"""Damaged model files and checkpoints: refused in one line that names the file, or the same as before."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from safetensors.numpy import load_file, save_file

from autodiff.files import write_tensors
from nlp.command import main
from nlp.deps import DependencyParser, ModelFileError, ParserError, PruningSettings
from oracles.mutations import mutated
from oracles.sentences import invented_sentences

OPTIONS = {"bits": 8, "learning_rate": 0.02, "epochs": 3}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A small model with all kinds of arrays."""
    path = tmp_path_factory.mktemp("model") / "m.tacana"
    DependencyParser(pruning=PruningSettings(bounds=True, folds=1), **OPTIONS).fit(invented_sentences(12)).save(path)
    return path


def content(parser):
    arrays = (parser.weights, parser.pruner.weights, parser.pruner.bounds.bounds)
    vocabulary = parser.scorer.vocabulary.to_arrays().values()
    return json.dumps(parser.describe()), [array.tobytes() for array in (*arrays, *vocabulary)]


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
        (put("settings", "model", "colour", 3), "ModelSettings has no setting 'colour'"),
        (put("settings", "training", "colour", 3), "TrainingSettings has no setting 'colour'"),
        (put("settings", "pruning", "colour", 3), "PruningSettings has no setting 'colour'"),
        (put("settings", "colour", 3), "'colour'"),
        (lambda about: about["settings"]["model"].pop("roots"), "lacks the setting 'roots'"),
        (put("settings", "model", "order", True), "order is 'True'"),
        (put("settings", "model", "iterations", -1), "iterations"),
        (put("settings", "model", "siblings", "yes"), "siblings is 'yes'"),
        (put("settings", "model", "tree", "oak"), "tree is 'oak'"),
        (put("settings", "bits", 9), r"'pruner/weights' is float32 \(256,\), expected float32 \(512\)"),
        (put("settings", "bits", 99), "bits is a whole number from 1 to 28"),
        (put("settings", "decoder", "ring"), "decoder is one of"),
        (put("settings", "pruning", None), "'bounds/bounds' that does not belong in it"),
        (put("settings", "templates", "arc", "h.colour\n"), "no attribute 'colour'"),
        (put("settings", "templates", "arc", 7), "templates are no texts"),
        (put("settings", "history", [[2, "l2", 0.5, None]]), "expected epoch 1"),
        (put("settings", "history", 5), "expected a list of epochs"),
        (put("settings", None), "expected format, version and settings"),
        (put("version", 1), "written by an older version of tacana .format 1; this one reads 2.: train the model anew"),
        (put("version", 3), "written by a newer version of tacana .format 3; this one reads 2.: update tacana"),
        (put("format", "recipe"), "not a model of this parser"),
    ],
)
def test_settings_that_no_parser_writes_are_refused_with_a_right_checksum(model, tmp_path, change, message):
    path = resealed(model, tmp_path / "m.tacana", change=change)
    with pytest.raises(ModelFileError, match=message):
        DependencyParser.load(path)
    result = CliRunner().invoke(main, ["info", str(path)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert str(path) in result.stderr


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"weights": np.zeros(256)}, r"'weights' is float64 \(256,\), expected float32 \(any\)"),
        ({"weights": np.full(256, np.nan, dtype=np.float32)}, "weights are not all finite"),
        ({"vocabulary/counts": np.zeros(2, dtype=np.int64)}, r"counts int64 \(2,\)"),
        ({"vocabulary/vocabulary": np.frombuffer(b"[1, 2", dtype=np.uint8)}, "no JSON"),
        ({"vocabulary/vocabulary": np.frombuffer(b"\xff\xfe", dtype=np.uint8)}, "no JSON"),
        ({"vocabulary/vocabulary": np.frombuffer(b"[" * 99999, dtype=np.uint8)}, "no JSON"),
        ({"vocabulary/vocabulary": np.frombuffer(b"{}", dtype=np.uint8)}, "no vocabulary"),
        ({"bounds/bounds": np.zeros((2, 2, 2), dtype=np.int32)}, "length bounds"),
        ({"bounds/tags": np.frombuffer(b"\xff", dtype=np.uint8)}, "not UTF-8"),
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
    expected = DependencyParser(**options).fit(sentences).weights.tobytes()
    for _ in range(400):
        kind, data = mutated(whole, rng)
        checkpoint.write_bytes(data)
        message = None
        try:
            parser = DependencyParser(**options).fit(sentences, save_to=path, resume=True)
        except ParserError as error:
            message = str(error)
        if message is None:
            assert parser.weights.tobytes() == expected, kind
        else:
            assert message.startswith(str(checkpoint)), (kind, message)
            assert "\n" not in message, (kind, message)
            refused += 1
    assert refused > 350
