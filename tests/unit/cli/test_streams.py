"""What a careless parent, an impatient one, or a hostile name does to the command line."""

import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from shards.build import Tensor, build_safetensors

WEIGHTZIP = f"{sys.executable} -m weightzip"


def _shell(command: str, directory: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", command], cwd=directory, capture_output=True, check=False, timeout=60, stdin=None
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a directory with a file, and an archive of a tensor whose name forges lines and commands terminals."""
    (tmp_path / "file").write_bytes(b"some bytes")
    tensor = Tensor("a\tb\nforged\x1b[31m[/red]", "U8", (4,), b"abcd")
    (tmp_path / "hostile").write_bytes(build_safetensors([tensor]))
    assert _shell(f"{WEIGHTZIP} compress hostile hostile.wzst", tmp_path).returncode == 0
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        ("compress - target <&-", 2, "standard input is closed"),
        ("inspect hostile.wzst >&-", 2, "standard output is closed"),
        ("inspect hostile.wzst --json >&-", 2, "standard output is closed"),
        ("decompress hostile.wzst - >&-", 2, "standard output is closed"),
        ("compress file target >&-", 0, "->"),
        ("compress file target <&- >&- 2>&-", 0, ""),
        ("compress file - > /dev/full", 8, "standard output"),
        ("inspect hostile.wzst > /dev/full", 8, "standard output"),
        ("decompress hostile.wzst - > /dev/full", 8, "standard output"),
        ("compress - nowhere/target < file", 10, "nowhere"),
        ("(ulimit -f 1; head -c 9999 /dev/zero | {0} compress - target)", 8, "target"),
    ],
)
def test_closed_and_full_streams_are_named(files: Path, arguments: str, exit_code: int, message: str) -> None:
    before = set(files.iterdir())
    command = arguments.format(WEIGHTZIP) if "{0}" in arguments else f"{WEIGHTZIP} {arguments}"
    done = _shell(command, files)
    assert (done.returncode, done.stdout) == (exit_code, b"")
    assert message in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert {path.name for path in set(files.iterdir()) - before} == ({"target"} if exit_code == 0 else set())


def test_names_of_others_forge_nothing_in_a_pipe(files: Path) -> None:
    done = _shell(f"{WEIGHTZIP} inspect hostile.wzst", files)
    lines = done.stdout.decode().splitlines()
    assert lines[2].split("\t")[0] == r"a\tb\nforged\x1b[31m[/red]"
    assert len(lines) == 3


def test_names_of_others_command_no_terminal(files: Path) -> None:
    process, terminal = pty.fork()
    if process == 0:
        os.environ["COLUMNS"] = "200"
        os.execv(sys.executable, [sys.executable, "-m", "weightzip", "inspect", str(files / "hostile.wzst")])
    shown = b""
    while data := _read_terminal(terminal):
        shown += data
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert rb"a\tb\nforged\x1b[31m[/red]" in shown


def _read_terminal(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # how Linux says that the other side is gone
        return b""


def test_an_encoding_that_lacks_a_letter_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(build_safetensors([Tensor("größe", "U8", (4,), b"abcd")]))
    done = _shell(
        f"{WEIGHTZIP} compress s a && PYTHONIOENCODING=ascii {WEIGHTZIP} inspect a | grep gr", tmp_path
    )
    assert done.stdout.startswith(rb"gr\xf6\xdfe")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("source", ["file", "-"])
def test_a_signal_leaves_nothing_behind(tmp_path: Path, number: signal.Signals, source: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "file").write_bytes(os.urandom(1 << 20) * 400)
    process = subprocess.Popen(
        # The suite may run under nohup, which has signals ignored.
        ["env", "--default-signal", sys.executable, "-m", "weightzip", "compress", source, "out/target"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not _has_open(process.pid, tmp_path / "out"):
        assert process.poll() is None
    process.send_signal(number)
    assert process.wait(timeout=60) == 128 + number
    assert list((tmp_path / "out").iterdir()) == []
    process.communicate()


def _has_open(process: int, folder: Path) -> bool:
    """Return whether a process has a file open that lies in a folder, with or without a name."""
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed in this very moment
            if str(descriptor.readlink()).startswith(f"{folder}/"):
                return True
    return False


LOST_WAKEUP = """
import signal, threading, time
from weightzip.cli.streams import standard_input
signal.signal(signal.SIGTERM, lambda number, frame: exit(128 + number))
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
# The other thread gets the signal: the read of this one is not interrupted, as if it had begun a moment later.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
print("reading", flush=True)
standard_input().read(1)
"""


def test_a_signal_that_does_not_interrupt_the_read_is_heard() -> None:
    command = [sys.executable, "-c", LOST_WAKEUP]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"reading\n"
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(timeout=30) == 128 + signal.SIGTERM
        finally:
            process.kill()
