"""State files: whole or the old one, only for the optimiser they belong to, no pickle, quick to import."""

import json
import subprocess
import sys

import numpy as np
import pytest
from safetensors import safe_open

from autodiff import HashedParameter, Parameter
from autodiff.optimizers import SGD, AdaGrad, Adam, InverseDecay, StateMismatchError, load_state, save_state
from oracles.mutations import mutated


def fresh(optimizer):
    return optimizer.store({"w": Parameter("w", np.ones(3))})


def trained(optimizer):
    return stepped(fresh(optimizer))


def stepped(store):
    store.add("w", np.ones(3))
    store.step()
    return store


def test_the_metadata_name_class_and_settings(tmp_path):
    save_state(trained(AdaGrad(InverseDecay(0.1, decay=0.2), l2=0.3)), tmp_path / "state.safetensors")
    with safe_open(tmp_path / "state.safetensors", framework="numpy") as file:
        description = json.loads(file.metadata()["tacana optimizer"])
    assert description == {
        "class": "AdaGrad",
        "settings": {
            "learning_rate": {"class": "InverseDecay", "rate": 0.1, "decay": 0.2},
            "l2": 0.3,
            "l1": 0.0,
            "delta": 1.0,
            "average": False,
        },
    }


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: Adam(0.1), "made by AdaGrad, and this is Adam"),
        (lambda: AdaGrad(0.1, l2=0.6), "l2 is 0.5 in the state and 0.6 here"),
        (lambda: AdaGrad(InverseDecay(0.1, decay=0.1), l2=0.5), "learning_rate is .*Constant.*InverseDecay"),
    ],
)
def test_a_state_of_another_optimizer_is_refused(other, message, tmp_path):
    store, path = trained(AdaGrad(0.1, l2=0.5)), tmp_path / "state.safetensors"
    save_state(store, path)
    for restore in (lambda target: load_state(target, path), lambda target: target.restore(store.state())):
        target = fresh(other())
        with pytest.raises(StateMismatchError, match=message):
            restore(target)
        assert target.steps == 0


def test_an_incomplete_state_is_refused():
    state = trained(SGD(0.1)).state()
    del state["steps"]
    with pytest.raises(StateMismatchError, match="steps"):
        fresh(SGD(0.1)).restore(state)


def test_files_that_are_no_state_are_refused(tmp_path):
    from safetensors.numpy import save_file

    save_file({"w": np.ones(2)}, tmp_path / "weights.safetensors")
    with pytest.raises(StateMismatchError, match="not written by save_state"):
        load_state(fresh(SGD(0.1)), tmp_path / "weights.safetensors")
    save_state(trained(AdaGrad(0.1)), tmp_path / "cut.safetensors")
    whole = (tmp_path / "cut.safetensors").read_bytes()
    (tmp_path / "cut.safetensors").write_bytes(whole[:-7])
    with pytest.raises(StateMismatchError, match=r"cut\.safetensors is not a whole"):
        load_state(fresh(AdaGrad(0.1)), tmp_path / "cut.safetensors")
    with pytest.raises(FileNotFoundError):
        load_state(fresh(SGD(0.1)), tmp_path / "nothing.safetensors")


def test_a_failed_save_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "state.safetensors"
    save_state(trained(AdaGrad(0.1)), path)
    before = path.read_bytes()

    def fail(*arguments):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        save_state(stepped(trained(AdaGrad(0.1))), path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["state.safetensors"]


def test_the_same_state_gives_the_same_file(tmp_path):
    save_state(trained(Adam(0.1)), tmp_path / "one")
    save_state(trained(Adam(0.1)), tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_changing_a_state_does_not_reach_into_the_store():
    store = trained(AdaGrad(0.1))
    state = store.state()
    state["parameter/w/squares"][:] = 77.0
    assert store.state()["parameter/w/squares"].tolist() == [1.0, 1.0, 1.0]
    restored = fresh(AdaGrad(0.1))
    restored.restore(state)
    state["parameter/w/squares"][:] = 5.0
    assert restored.state()["parameter/w/squares"].tolist() == [77.0, 77.0, 77.0]


def test_importing_the_optimizers_imports_nothing_slow():
    code = (
        "import sys, autodiff.optimizers; "
        "print([name for name in ('numba', 'scipy.optimize', 'safetensors') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("make", [lambda: AdaGrad(0.1, l2=0.5), lambda: Adam(0.1), lambda: SGD(0.1, momentum=0.5)])
def test_damaged_files_are_refused_in_one_line_that_names_them(make, tmp_path):
    path = tmp_path / "state.safetensors"
    save_state(stepped(trained(make())), path)
    whole, rng, refused = path.read_bytes(), np.random.default_rng(0), 0
    expected = state_bytes(load(fresh(make()), path))
    for _ in range(700):
        kind, data = mutated(whole, rng)
        path.write_bytes(data)
        target, refusal = fresh(make()), None
        try:
            load_state(target, path)
        except StateMismatchError as error:
            refusal = str(error)
        if refusal is None:
            assert state_bytes(target) == expected, kind
            continue
        refused += 1
        assert str(path) in refused_as(refusal), kind
        assert target.steps == 0
    assert refused > 600


def refused_as(message):
    assert "\n" not in message
    return message


def load(store, path):
    load_state(store, path)
    return store


def state_bytes(store):
    return {name: value.tobytes() for name, value in store.state().items()}


@pytest.mark.parametrize("make", [lambda: Parameter("w", np.ones(3)), lambda: HashedParameter("w", 3)])
def test_states_that_no_store_could_have_are_refused(make):
    def store():
        return AdaGrad(0.1, l2=0.5).store({"w": make()}, average=True)

    state = stepped(store()).state()
    store().restore(state)
    for name, value in (
        ("steps", np.array([-1, -1])),
        ("steps", np.array([1.0, 0.0])),
        ("steps", np.array([1, 2])),
        ("steps", np.array([1])),
        ("description", np.zeros((2, 2), dtype=np.uint8)),
        ("repeats", np.array([10**15])),
        ("rates", np.array([np.nan])),
        ("parameter/w/squares", np.ones(4)),
        ("parameter/w/squares", np.full(3, np.nan)),
        ("parameter/w/squares", np.full(3, -1.0)),
        ("parameter/w/value", np.full(3, np.nan)),
        ("parameter/w/sum", np.full(3, np.inf)),
        ("parameter/w/caught_up", np.full(3, 7, dtype=np.int32)),
        ("parameter/w/caught_up", np.full(3, 1.0)),
        ("parameter/w/more", np.ones(3)),
        ("else", np.ones(3)),
    ):
        target = store()
        with pytest.raises(StateMismatchError):
            target.restore({**state, name: value})
        assert target.steps == 0
        assert not target.state()["parameter/w/squares"].any()
    with pytest.raises(StateMismatchError, match="average is True in the state and False here"):
        AdaGrad(0.1, l2=0.5).store({"w": make()}).restore(state)
    with pytest.raises(StateMismatchError, match="lacks"):
        AdaGrad(0.1, l2=0.5).store({"v": make()}, average=True).restore(state)


def test_a_file_without_a_checksum_is_of_an_older_version(tmp_path):
    from safetensors.numpy import save_file

    state = trained(SGD(0.1)).state()
    description = bytes(state.pop("description")).decode()
    save_file(state, tmp_path / "old", metadata={"tacana optimizer": description})
    with pytest.raises(StateMismatchError, match=r"old was written by an older version"):
        load_state(fresh(SGD(0.1)), tmp_path / "old")
