"""The two processes of the demonstration: the trainer, and the sidecar as `weightzip run` starts it."""

import os
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

WEIGHTZIP = Path(sysconfig.get_path("scripts"), "weightzip")
ROOT = Path(__file__).parents[1]


class ChildProcess:
    """A process that we started, and may end."""

    def __init__(self, command: list[str], output: Path, environment: dict[str, str]) -> None:
        """Start `command`; what it prints is added to the file `output`."""
        with output.open("ab") as file:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )

    @property
    def exit_code(self) -> int | None:
        """Return the exit code, None while it runs."""
        return self._process.poll()

    def kill(self) -> None:
        """End it as a power cut would: SIGKILL."""
        self._process.kill()
        self._process.wait()

    def stop(self, timeout_seconds: float) -> int:
        """Ask it to end (SIGTERM) and return its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout_seconds)


def start_trainer(checkpoints: Path, log: Path, steps: int, save_every: int) -> ChildProcess:
    """Start the trainer on `checkpoints`; it resumes from what is there. Its records go to `log`."""
    command = [sys.executable, "-m", "demo.trainer", str(checkpoints), "--log", str(log)]
    command += ["--steps", str(steps), "--save-every", str(save_every)]
    # One thread: sums come in one order, and a core stays free for the sidecar.
    return ChildProcess(command, log.with_suffix(".output"), {"OPENBLAS_NUM_THREADS": "1"})


def start_sidecar(checkpoints: Path, store: Path, state: Path, log: Path) -> ChildProcess:
    """Start the sidecar. If `checkpoints` is empty and the store is not, it restores before it is started."""
    command = [str(WEIGHTZIP), "run", "--watch", str(checkpoints), "--store", str(store)]
    environment = {
        "WEIGHTZIP_STATE__DIR": str(state),
        "WEIGHTZIP_SOURCE__QUIET_PERIOD": "300ms",  # a checkpoint here takes milliseconds to write
        "WEIGHTZIP_RESTORE__ON_START": "if_empty",
        "WEIGHTZIP_SERVER__LISTEN": "127.0.0.1:0",
        "WEIGHTZIP_LOG__FORMAT": "json",
    }
    return ChildProcess(command, log, environment)
