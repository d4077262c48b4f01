"""Files that are replaced at once: synchronised, without leftovers, whatever their names."""

import fcntl
import os
import subprocess
import sys

import pytest

from autodiff.files import FileTooLargeError, read_bounded, replacing, why_not_writable


def test_leftovers_of_the_dead_are_deleted_and_files_of_the_living_kept(tmp_path):
    dead, living = (tmp_path / f".x.{digit * 16}.tmp" for digit in "ab")
    dead.write_text("half")
    living.write_text("half")
    other = tmp_path / ".y.aaaaaaaaaaaaaaaa.tmp"
    other.write_text("of another file")
    with open(living) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with replacing(tmp_path / "x") as file:
            file.write_text("whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [living.name, other.name, "x"]


def test_a_killed_writer_leaves_nothing_after_the_next(tmp_path):
    code = (
        "import os, signal, sys; from autodiff.files import replacing\n"
        "with replacing(sys.argv[1]) as file: file.write_text('half'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    target = tmp_path / "x"
    target.write_text("old")
    subprocess.run([sys.executable, "-c", code, str(target)], check=False)
    assert target.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
    with replacing(target) as file:
        file.write_text("new")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["new"]


def test_file_and_directory_reach_the_disk_before_and_after_the_exchange(tmp_path, monkeypatch):
    events = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr("os.fsync", lambda fd: (events.append(os.path.isdir(f"/proc/self/fd/{fd}")), fsync(fd)))
    monkeypatch.setattr("os.replace", lambda *names: (events.append("replace"), replace(*names)))
    with replacing(tmp_path / "x") as file:
        file.write_text("whole")
    assert events == [False, "replace", True]


def test_a_loop_of_links_is_refused_and_stays(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"), replacing(tmp_path / "loop"):
        raise AssertionError
    assert (tmp_path / "loop").is_symlink()
    assert "symbolic links" in why_not_writable(tmp_path / "loop")


@pytest.mark.parametrize("name", ["n" * 255, "é" * 127])
def test_the_longest_names_work(tmp_path, name):
    with replacing(tmp_path / name) as file:
        file.write_text("whole")
    assert (tmp_path / name).read_text() == "whole"


def test_what_is_too_large_is_not_read(tmp_path):
    (tmp_path / "x").write_bytes(b"0123456789")
    assert read_bounded(tmp_path / "x", 10) == b"0123456789"
    with pytest.raises(FileTooLargeError, match="x: larger than 9 bytes"):
        read_bounded(tmp_path / "x", 9)
