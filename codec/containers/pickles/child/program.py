"""The program of the child process: it reads pickles from its standard input and answers in rows of JSON.

A question is one byte (its kind), u64 little-endian (the size of the pickle) and the pickle. Rows answer the questions
in order; the last row to each is ["end", bytes of the pickle] or ["refused"]. Run it as `python -I -S program.py
SECONDS`, with how long a processor may work on all of them.
"""

import gc
import os
import resource
import signal
import sys
from types import ModuleType

PACKAGE = "weightzip.codec.containers.pickles.child"
# Some ten times what the largest files of optimizers need, and no more than a trainer's machine can spare.
MAX_MEMORY_BYTES = 1 << 30
_OPEN_FILES = 3  # standard input, output, error: nothing else can be opened


def main() -> None:
    """Answer all questions, then end."""
    _outlive_signals()
    _make_importable()
    from weightzip.codec.containers.pickles.child.answer import answer_questions

    _give_up_rights(int(sys.argv[1]))
    gc.disable()  # nothing here lives long, and half of the time would go into looking for cycles
    answer_questions(sys.stdin.buffer, sys.stdout.buffer)
    os._exit(0)  # what is deeply nested would take long to be taken apart


def _outlive_signals() -> None:
    """Leave it to the parent to end this process: a service manager signals all processes of a service alike."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _make_importable() -> None:
    """Make the modules beside this one importable by their full names, without what their packages would import."""
    package = ModuleType(PACKAGE)
    package.__path__ = [os.path.dirname(os.path.abspath(__file__))]  # noqa: PTH100, PTH120 (pathlib is slow to import)
    sys.modules[PACKAGE] = package


def _give_up_rights(cpu_seconds: int) -> None:
    """Bound memory and time; open, write and start nothing from here on."""
    for limit, value in (
        (resource.RLIMIT_AS, MAX_MEMORY_BYTES),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(limit)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (value, value))


if __name__ == "__main__":
    main()
