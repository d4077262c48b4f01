"""Files of named sections: whole, or refused in one line that names the file."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from autodiff.files import ArraySpec, ModelFile, ModelFileError, Section, same_json, write_model, write_tensors
from oracles.mutations import mutated

SPECS = {
    "scorer": {"weights": ArraySpec("float32", (None,)), "bias": ArraySpec("float64", (1,))},
    "vocabulary": {"ids": ArraySpec("int64", (2, None))},
    "about": {},
}
KEY = "tacana"
WEIGHTS = np.arange(8, dtype=np.float32)


def sections():
    return {
        "scorer": Section({"bits": 3, "names": ["é", "b"]}, {"weights": WEIGHTS, "bias": np.zeros(1)}),
        "vocabulary": Section({}, {"ids": np.array([[1, 2, 3], [4, 5, 6]])}),
        "about": Section({"when": None}),
    }  # fmt: skip


@pytest.fixture
def path(tmp_path):
    write_model(tmp_path / "m.tacana", "model", sections())
    return tmp_path / "m.tacana"


def read(path, specs=SPECS):
    """Read a file as its owner does; the plain content."""
    file = ModelFile.open(path, "model")
    file.expect(*SPECS)
    arrays = file.arrays(specs)
    return file.settings, {s: {k: (a.dtype.str, a.tolist()) for k, a in own.items()} for s, own in arrays.items()}


def what_is_wrong(path, expected):
    """The message with which a file is refused; None if it is as it was."""
    try:
        found = read(path)
    except ModelFileError as error:
        return str(error)
    assert found == expected
    return None


def refused(path, specs=SPECS):
    with pytest.raises(ModelFileError) as caught:
        read(path, specs)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message


def resealed(path, change):
    """Write the file again, with other text and a checksum that is right."""
    file = ModelFile.open(path, "model").file
    about = json.loads(file.text)
    changed = change(about)
    about = changed if isinstance(changed, str) else about
    write_tensors(path, file.arrays(), KEY, about if isinstance(about, str) else json.dumps(about))


def test_what_was_written_is_read(path):
    settings, arrays = read(path)
    assert settings == {name: one.settings for name, one in sections().items()}
    assert arrays["scorer"] == {"weights": ("<f4", list(range(8))), "bias": ("<f8", [0.0])}
    assert arrays["vocabulary"]["ids"] == ("<i8", [[1, 2, 3], [4, 5, 6]])
    assert arrays["about"] == {}


def test_the_same_content_is_the_same_bytes(path, tmp_path):
    again = dict(reversed(sections().items()))
    write_model(tmp_path / "again", "model", again)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_damage_of_every_kind_is_refused_or_changes_nothing(path):
    whole, expected, rng = path.read_bytes(), read(path), np.random.default_rng(0)
    seen = {}
    for _ in range(600):
        kind, data = mutated(whole, rng)
        path.write_bytes(data)
        message = what_is_wrong(path, expected)
        if message is not None:
            assert message.startswith(str(path)), (kind, message)
            assert "\n" not in message, (kind, message)
            seen[kind] = seen.get(kind, 0) + 1
    assert len(seen) >= 8, seen
    assert sum(seen.values()) > 500, seen


@pytest.mark.parametrize("cut", [0, 4, 8, 50, 0.5, -1])
def test_a_file_that_is_cut_off_is_refused(path, cut):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * cut) if isinstance(cut, float) else cut])
    refused(path)


def test_every_flipped_byte_is_seen(path):
    whole, expected = path.read_bytes(), read(path)
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        message = what_is_wrong(path, expected) or str(path)
        assert message.startswith(str(path)), place
        assert "\n" not in message, place


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda about: about.update(version=99), "newer version of tacana .*update tacana"),
        (lambda about: about.update(version=1), "older version of tacana .*train the model anew"),
        (lambda about: about.update(version="3"), "damaged: expected format, version"),
        (lambda about: about.update(format="tacana checkpoint"), "a checkpoint, not a model"),
        (lambda about: about.update(format="another"), "not a model of tacana"),
        (lambda about: about.update(format=None), "not a model of tacana"),
        (lambda about: about.pop("sections"), "damaged"),
        (lambda about: about.update(more=1), "damaged"),
        (lambda about: about.update(sections=[1]), "damaged"),
        (lambda about: about["sections"].update(scorer=3), "damaged"),
        (lambda about: about["sections"].update(unknown={}), "'unknown'"),
        (lambda about: about["sections"].pop("vocabulary"), "'vocabulary'"),
        (lambda about: "{", "no JSON"),
        (lambda about: "[" * 100000, "no JSON"),
        (lambda about: "[]", "not a model of tacana"),
    ],
)
def test_settings_that_are_wrong(path, change, message):
    resealed(path, change)
    assert re.search(message, refused(path))


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        ({"scorer": {}, "vocabulary": {}, "about": {}}, "'scorer/bias' that does not belong"),
        (SPECS | {"about": {"more": ArraySpec(None, ())}}, "lacks the array 'about/more'"),
        (SPECS | {"vocabulary": {"ids": ArraySpec("int64", (3, None))}}, "'vocabulary/ids' is int64 (2, 3)"),
        (SPECS | {"vocabulary": {"ids": ArraySpec("float64", (2, None))}}, "expected float64"),
    ],
)
def test_arrays_that_are_not_what_was_expected(path, specs, message):
    assert message in refused(path, specs)


def test_a_checksum_that_is_missing(path):
    from safetensors.numpy import load_file, save_file

    arrays = load_file(path)
    text = ModelFile.open(path, "model").file.text
    del arrays["checksum"]
    save_file(arrays, path, metadata={KEY: text})
    assert "no checksum" in refused(path)


def test_what_is_no_file(tmp_path):
    for place, message in ((tmp_path / "none", "no such file"), (tmp_path, "is not a plain file")):
        assert message in refused(place)
    with pytest.raises(ModelFileError, match=r"no such file|No such|directory"):
        write_model(tmp_path / "no" / "folder", "model", sections())
    with pytest.raises(ModelFileError, match=f"^{tmp_path}: is a directory"):
        write_model(tmp_path, "model", sections())


def test_what_was_there_stays_if_writing_fails(path, monkeypatch):
    before = path.read_bytes()
    with pytest.raises(ValueError, match="complex"):
        write_model(path, "model", {"scorer": Section({}, {"weights": np.ones(2, dtype=complex)})})
    with pytest.raises(TypeError):
        write_model(path, "model", {"scorer": Section({"bits": object()})})
    assert path.read_bytes() == before
    assert [each.name for each in Path(path).parent.iterdir()] == [path.name]


def test_values_are_compared_as_they_are_in_a_file():
    assert same_json({"a": (1, None)}, {"a": [1, None]})
    assert not same_json({"a": 1}, {"a": 1.0})
    assert not same_json({"a": 1}, {"a": True})
