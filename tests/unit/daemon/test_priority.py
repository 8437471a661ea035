"""Priorities are lowered for real, in a process of their own."""

import subprocess
import sys

SCRIPT = """
import os, ctypes, platform
from weightzip.daemon.priority import lower_priority
lower_priority({nice}, {io_class!r})
number = {{"x86_64": 252, "aarch64": 31}}[platform.machine()]
print(os.getpriority(os.PRIO_PROCESS, 0), ctypes.CDLL(None).syscall(number, 1, 0) >> 13)
"""


def run(nice: int, io_class: str) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(nice=nice, io_class=io_class)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(word) for word in done.stdout.split()[-2:]]


def test_niceness_and_disk_priority_are_set() -> None:
    assert run(19, "idle") == [19, 3]
    assert run(19, "best_effort") == [19, 2]


def test_none_leaves_the_disk_priority_as_inherited() -> None:
    assert run(19, "none")[1] == 0
