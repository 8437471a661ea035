"""The real daemon in a process of its own: started, asked over HTTP, stopped gently or killed."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

START_SECONDS = 30.0


class DaemonProcess:
    """One daemon of one state directory; may be started again after it ended."""

    def __init__(
        self, base: Path, watch: Path, store: str, settings: Mapping[str, str] | None = None
    ) -> None:
        self.state = base / "state"
        self.log = base / "daemon.log"
        self._arguments = ["--watch", str(watch), "--store", store]
        self._environment = {
            **os.environ,
            "WEIGHTZIP_STATE__DIR": str(self.state),
            "WEIGHTZIP_SERVER__LISTEN": "127.0.0.1:0",
            "WEIGHTZIP_SOURCE__QUIET_PERIOD": "300ms",
            "WEIGHTZIP_LOG__LEVEL": "debug",
            "WEIGHTZIP_ENCODE__N_THREADS": "1",
            **(settings or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *extra: str) -> None:
        """Start the process; it is not listening yet when this returns."""
        (self.state / "listen").unlink(missing_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "weightzip", "run", *self._arguments, *extra],
                env=self._environment,
                stderr=log,
                stdout=log,
                stdin=subprocess.DEVNULL,
            )

    def start_and_wait(self) -> None:
        """Start the process and wait until it says that it has started."""
        self.start()
        self.wait_for(lambda: self.get("/startupz")[0] == 200, START_SECONDS)

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """Return the running process."""
        assert self._process is not None, "the daemon was not started"
        return self._process

    @property
    def url(self) -> str:
        """Return the address the daemon wrote down; raises FileNotFoundError until it listens."""
        return (self.state / "listen").read_text().strip()

    def get(self, path: str) -> tuple[int, Any]:
        """Return status and parsed answer of a GET; status 0 if nobody listens."""
        return self._ask(urllib.request.Request, path, None)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """Return status and parsed answer of a POST."""
        return self._ask(urllib.request.Request, path, json.dumps(body or {}).encode())

    def committed_steps(self) -> list[int]:
        """Return the steps that the daemon lists, ascending."""
        status, answer = self.get("/v1/checkpoints")
        return sorted(checkpoint["step"] for checkpoint in answer["checkpoints"]) if status == 200 else []

    def wait_for(self, condition: Callable[[], bool], seconds: float = 30.0) -> None:
        """Wait until a condition holds; fails with the log if it does not, or if the daemon ends."""
        deadline = time.monotonic() + seconds
        while not condition():
            ended = self.process.poll()
            assert ended is None, f"the daemon ended with {ended}:\n{self.log.read_text()}"
            assert time.monotonic() < deadline, f"not reached within {seconds} s:\n{self.log.read_text()}"
            time.sleep(0.05)

    def wait_committed(self, *steps: int, seconds: float = 60.0) -> None:
        """Wait until all these steps are listed."""
        self.wait_for(lambda: set(steps) <= set(self.committed_steps()), seconds)

    def kill(self) -> None:
        """End the process with SIGKILL."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def terminate(self, seconds: float = 60.0) -> int:
        """Send SIGTERM and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)

    def _ask(
        self, make: Callable[..., urllib.request.Request], path: str, body: bytes | None
    ) -> tuple[int, Any]:
        try:
            with urllib.request.urlopen(make(self.url + path, data=body), timeout=60) as answer:
                return answer.status, _parse(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, _parse(error.read())
        except (OSError, ValueError):
            return 0, None


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data
