"""The child process: its limits, and what becomes of one that does not end, says too much or cannot start."""

import pickle
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from weightzip.codec.containers.pickles import process, read_pickles
from weightzip.codec.containers.pickles.process import (
    FLAGS,
    MAX_CPU_SECONDS,
    PROGRAM,
    ChildFailed,
    ask_child,
    find_cpu_seconds,
)

SOUND = pickle.dumps({"a": 1}, protocol=2)


def _collide(n_keys: int) -> bytes:
    """Return a dictionary of numbers of one hash: the time to make it grows with the square of their number."""
    keys = b"".join(
        b"\x8a\x0a" + (number * (2**61 - 1)).to_bytes(10, "little") + b"N" for number in range(n_keys)
    )
    return b"\x80\x02}(" + keys + b"u."


def test_rights_are_given_up_before_the_first_pickle() -> None:
    command = [sys.executable, *FLAGS, str(PROGRAM), "7"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(struct.pack("<cQ", b"t", len(SOUND)) + SOUND)
        child.stdin.flush()
        assert child.stdout.readline() == b'["end",%d]\n' % len(SOUND)
        limits = Path(f"/proc/{child.pid}/limits").read_text()
        child.stdin.close()
    assert child.returncode == 0
    soft = {line[:26].strip(): line[26:].split()[:2] for line in limits.splitlines()}
    assert soft["Max open files"] == ["3", "3"]
    assert soft["Max file size"] == soft["Max core file size"] == soft["Max processes"] == ["0", "0"]
    assert soft["Max address space"] == [str(1 << 30)] * 2
    assert soft["Max cpu time"] == ["7", "7"]


def test_a_child_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MAX_SECONDS", 0.5)
    with pytest.raises(ChildFailed):
        list(ask_child([(b"t", _collide(300_000))]))


def test_small_pickles_get_little_time() -> None:
    assert find_cpu_seconds([(b"t", SOUND)]) == 2
    assert find_cpu_seconds([(b"t", bytes(3 << 20)), (b"t", SOUND)]) == 14
    assert find_cpu_seconds([(b"t", bytes(100 << 20))]) == MAX_CPU_SECONDS


def test_a_key_that_takes_for_ever_to_hash_is_refused_soon() -> None:
    hashed_2_to_the_60_times = b"\x80\x02})" + b"2\x86" * 60 + b"K\x01s."
    assert read_pickles([hashed_2_to_the_60_times]) == [None]


def test_a_child_that_says_too_much_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(ask_child([(b"t", SOUND)] * 10))
    assert len(rows) == 10
    monkeypatch.setattr(process, "MAX_ANSWER_BYTES", sum(map(len, rows)) - 1)
    with pytest.raises(ChildFailed):
        list(ask_child([(b"t", SOUND)] * 10))


def test_a_child_that_cannot_start_refuses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "missing"))
    assert read_pickles([SOUND]) == [None]


def test_a_child_that_fails_refuses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys; print('[\"end\",1]'); sys.exit(1)")
    monkeypatch.setattr(process, "PROGRAM", program)
    assert read_pickles([SOUND]) == [None]


@pytest.mark.parametrize("answer", ["", '["end",1]', '["end",1]\n["end",1]\n', "x" * 100_000, '["tensor"]\n'])
def test_a_child_that_answers_oddly_refuses(
    answer: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import sys; sys.stdout.write({answer!r})")
    monkeypatch.setattr(process, "PROGRAM", program)
    assert read_pickles([SOUND]) == [None]


def test_large_questions_do_not_block() -> None:
    large = pickle.dumps([b"x" * (8 << 20), list(range(200_000))], protocol=2)
    assert None not in read_pickles([large] * 3)


def test_unknown_questions_are_refused() -> None:
    assert list(ask_child([(b"?", SOUND)])) == [b'["refused"]\n']
