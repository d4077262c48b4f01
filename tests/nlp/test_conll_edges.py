"""Long values in messages, and writing to what is no plain file."""

import os
import threading

import pytest

from autodiff.files import why_not_writable
from nlp.conll import ConllError, Sentence, read_all, write_sentences


@pytest.mark.parametrize(("length", "shown"), [(39, 39), (40, 40), (41, 37), (400, 37)])
def test_long_values_are_cut_in_messages(tmp_path, length, shown):
    text = "1\ta\t_\tN\tN\t_\t" + "x" * length + "\t_\t_\t_\n\n"
    (tmp_path / "a.conll").write_text(text)
    with pytest.raises(ConllError) as caught:
        read_all(tmp_path / "a.conll")
    expected = "x" * shown + ("..." if length > 40 else "")
    assert f"'{expected}' as head" in str(caught.value)


def test_files_are_synced_and_pipes_are_not(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    sentence = Sentence.from_words(["Go"])
    assert write_sentences([sentence], tmp_path / "file") == 1
    assert synced[:1] == [len(sentence.text)]
    synced.clear()
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    assert write_sentences([sentence], tmp_path / "pipe") == 1
    reader.join(10)
    assert read == [sentence.text.encode()]
    assert not synced


def words(heads):
    rows = (f"{i}\tw\t_\tN\tN\t_\t{head}\t_\t_\t_\n" for i, head in enumerate(heads, start=1))
    return "".join(rows) + "\n"


@pytest.mark.parametrize("length", [2, 9, 10, 11, 30])
def test_cycles_are_shown_in_full_up_to_ten_words(tmp_path, length):
    (tmp_path / "a.conll").write_text(words([0, *(i % length + 2 for i in range(1, length + 1))]))
    with pytest.raises(ConllError) as caught:
        read_all(tmp_path / "a.conll")
    shown = [str(word) for word in range(2, 2 + min(length, 10))]
    way = " → ".join([*shown, *["…"] * (length > 10), "2"])
    assert f"a cycle of heads, {way};" in str(caught.value)


@pytest.mark.parametrize(("head", "right"), [("000000001", True), ("0000000001", False), ("01", True), ("3", False)])
def test_heads_may_have_zeros_in_front_up_to_nine_digits(tmp_path, head, right):
    (tmp_path / "a.conll").write_text(words([0, head]))
    if right:
        assert read_all(tmp_path / "a.conll")[0].heads.tolist() == [0, 1]
    else:
        with pytest.raises(ConllError, match="a head from 0 to 2"):
            read_all(tmp_path / "a.conll")


def test_the_last_word_can_be_a_head_however_it_is_written(tmp_path):
    (tmp_path / "a.conll").write_text(words(["02", 0]))
    assert read_all(tmp_path / "a.conll")[0].heads.tolist() == [2, 0]
    (tmp_path / "a.conll").write_text(words(["03", 0]))
    with pytest.raises(ConllError, match="head '03' is no word"):
        read_all(tmp_path / "a.conll")


def test_places_that_cannot_be_written_to_are_named(tmp_path):
    assert why_not_writable(tmp_path / "file") is None
    assert "is a directory" in why_not_writable(tmp_path)
    assert "there is no directory" in why_not_writable(tmp_path / "nowhere" / "file")
