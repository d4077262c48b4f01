"""Long values in messages, and writing to what is no plain file."""

import os
import threading

import pytest

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
