"""The child process that reads pickles: started, fed, listened to and ended, whatever it does."""

import os
import struct
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread, Timer
from typing import IO

from weightzip.codec.source import BytesLike

MAX_SECONDS = 120.0
# Pickles of trainers take a tenth of this, for their size. A hostile one of a hundred bytes takes all that there is.
MAX_CPU_SECONDS = 60
_FIRST_CPU_SECONDS, _CPU_SECONDS_PER_MIB = 2, 4
MAX_ROW_BYTES = 64 << 10
MAX_ANSWER_BYTES = 256 << 20
_HEAD = struct.Struct("<cQ")
PROGRAM = Path(__file__).with_name("child") / "program.py"
# Isolated, without site-packages, and leaving no compiled files behind.
FLAGS = ("-I", "-S", "-B")
# What a Python that is linked to shared libraries needs to start. The rest, secrets among it, stays here.
_VARIABLES = ("LD_LIBRARY_PATH",)

Question = tuple[bytes, BytesLike]


class ChildFailed(Exception):
    """The child said too much, ended badly or could not be started."""


def ask_child(questions: Sequence[Question]) -> Generator[bytes, None, None]:
    """Yield the rows that answer questions of one kind letter and one pickle each, as they come.

    Whoever stops before the end closes it: that ends the child.

    Raises:
        ChildFailed: the child said too much, ended badly, took too long or could not be started.
    """
    with _running(questions) as (process, answer):
        left = MAX_ANSWER_BYTES
        while row := answer.readline(MAX_ROW_BYTES):
            left -= len(row)
            if not row.endswith(b"\n") or left < 0:
                raise ChildFailed
            yield row
        if process.wait() != 0:
            raise ChildFailed


@contextmanager
def _running(questions: Sequence[Question]) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    process = _start(find_cpu_seconds(questions))
    timer = Timer(MAX_SECONDS, process.kill)
    feeder = Thread(target=_feed, args=(process.stdin, questions), name="pickle-feeder", daemon=True)
    timer.start()
    feeder.start()
    try:
        assert process.stdout is not None
        yield process, process.stdout
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        feeder.join()
        if process.stdout is not None:
            process.stdout.close()


def find_cpu_seconds(questions: Sequence[Question]) -> int:
    """Return how long a processor may work on questions: the more, the larger the pickles are."""
    n_bytes = sum(len(pickle) for _, pickle in questions)
    return min(_FIRST_CPU_SECONDS + (_CPU_SECONDS_PER_MIB * n_bytes >> 20), MAX_CPU_SECONDS)


def _start(cpu_seconds: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, *FLAGS, str(PROGRAM), str(cpu_seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={name: os.environ[name] for name in _VARIABLES if name in os.environ},
            start_new_session=True,  # what a terminal sends to us is not for the child
        )
    except OSError as error:
        raise ChildFailed from error


def _feed(stdin: IO[bytes], questions: Sequence[Question]) -> None:
    """Write all questions. A child that has ended hears no more of them, which its exit status tells of."""
    with suppress(OSError), stdin:
        for kind, pickle in questions:
            stdin.write(_HEAD.pack(kind, len(pickle)))
            stdin.write(pickle)
