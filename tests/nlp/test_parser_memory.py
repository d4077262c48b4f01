"""Training on the whole of EWT takes less than 3 GB, and parsing less than 1 GB."""

import pytest

from bench.parser import treebank
from bench.parser_memory import measure


@pytest.mark.slow
@pytest.mark.skipif(not treebank("train").exists(), reason="../shared/data is not there")
def test_memory_of_training_and_parsing(tmp_path):
    model, parsed = str(tmp_path / "en.tacana"), str(tmp_path / "parsed.conllu")
    train, dev = str(treebank("train")), str(treebank("dev"))
    megabytes, _ = measure(["train", "--train", train, "--dev", dev, "--epochs", "2", "--model", model])
    assert megabytes < 3000
    megabytes, _ = measure(["parse", "--model", model, dev, "--output", parsed])
    assert megabytes < 1000
