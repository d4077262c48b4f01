"""Ctrl-C is never lost: not when something swallows it, nor when it becomes another error."""

import signal
from contextlib import suppress

import pytest
from click.testing import CliRunner

import nlp.command
from pgm.shell.interrupts import watch_interrupts


def swallowed():
    with suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def wait_for_ever():
    swallowed()
    while True:
        pass


def test_a_swallowed_interrupt_comes_again():
    with watch_interrupts() as interrupts, pytest.raises(KeyboardInterrupt):
        wait_for_ever()
    assert interrupts.seen


class Dying:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def die_and_wait():
    Dying()
    while True:
        pass


def test_an_interrupt_that_python_ignores_comes_again_without_a_word(capfd):
    with watch_interrupts(), pytest.raises(KeyboardInterrupt):
        die_and_wait()
    assert capfd.readouterr().err == ""


def test_cleaning_up_is_not_interrupted_again():
    cleaned = []

    def work():
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGALRM)
            signal.raise_signal(signal.SIGINT)
            cleaned.append(True)

    with watch_interrupts(), pytest.raises(KeyboardInterrupt):
        work()
    assert cleaned


def test_the_handlers_come_back():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
    with watch_interrupts():
        swallowed()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)) == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def becomes_another_error():
    swallowed()
    raise SystemError("a result with an exception set")


@pytest.mark.parametrize("work", [swallowed, becomes_another_error, lambda: signal.raise_signal(signal.SIGINT)])
def test_commands_end_with_130_and_one_line(monkeypatch, work):
    monkeypatch.setattr("nlp.deps.demo.report", lambda say: work())
    result = CliRunner().invoke(nlp.command.main, ["demo"])
    assert result.exit_code == 130
    assert result.stderr == "tacana demo: interrupted\n"
