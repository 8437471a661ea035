"""An S3 server whose HTTP answers a test can spoil: moto in this process behind a small WSGI wrapper.

moto itself accepts any credentials and keeps objects in memory: use it for faults, and SeaweedFS for truth.
"""

import io
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

from servers.location import S3Account

BUCKET = "weightzip-faults"


@dataclass
class Fault:
    """Spoil the next `times` requests with this method whose path and query contain `part`."""

    method: str
    part: str
    times: int
    status: int
    code: str
    committed: bool  # True: the request takes effect, only its reply is lost


@dataclass(frozen=True)
class Request:
    """One request as the server saw it."""

    method: str
    target: str  # path?query
    status: int


class FaultyS3:
    """moto on a free loopback port; `fail` and `commit_then_fail` spoil requests, `requests` tells what came."""

    def __init__(self) -> None:
        self._app = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._handle, threaded=True)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._lock = threading.Lock()
        self._faults: list[Fault] = []
        self.requests: list[Request] = []
        self.account = S3Account(f"http://127.0.0.1:{self._server.server_port}")

    def start(self) -> None:
        """Begin to serve; the port accepts connections when this returns."""
        self._thread.start()

    def stop(self) -> None:
        """Stop serving and wait for the thread."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def fail(self, method: str, part: str, times: int, status: int = 503, code: str = "SlowDown") -> None:
        """Refuse the next `times` matching requests before they take effect."""
        self._add(Fault(method, part, times, status, code, committed=False))

    def commit_then_fail(self, method: str, part: str, times: int = 1) -> None:
        """Let the next `times` matching requests take effect, then answer 500 all the same."""
        self._add(Fault(method, part, times, 500, "InternalError", committed=True))

    def heal(self) -> None:
        """Forget all faults and all recorded requests."""
        with self._lock:
            self._faults.clear()
            self.requests.clear()

    def _add(self, fault: Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    def _take_fault(self, method: str, target: str) -> Fault | None:
        with self._lock:
            for fault in self._faults:
                if fault.times > 0 and fault.method == method and fault.part in target:
                    fault.times -= 1
                    return fault
        return None

    def _handle(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        target = f"{environ['PATH_INFO']}?{environ.get('QUERY_STRING', '')}"

        def record_and_start(status: str, *rest: Any, **options: Any) -> Any:
            with self._lock:
                self.requests.append(Request(method, target, int(status.split()[0])))
            return start_response(status, *rest, **options)

        fault = self._take_fault(method, target)
        if fault is None:
            reply: Iterable[bytes] = self._app(environ, record_and_start)
            return reply
        if fault.committed:
            list(self._app(environ, lambda *_, **__: None))
        else:
            _read_body(environ)
        body = f"<Error><Code>{fault.code}</Code><Message>spoilt by the test</Message></Error>".encode()
        record_and_start(f"{fault.status} Spoilt", [("Content-Type", "application/xml")])
        return [body]


def _read_body(environ: dict[str, Any]) -> None:
    """Drain an upload that is about to be refused: closing early would reset the connection instead."""
    body: io.BufferedIOBase = environ["wsgi.input"]
    remaining = int(environ.get("CONTENT_LENGTH") or 0)
    while remaining > 0 and (got := body.read(min(remaining, 1 << 16))):
        remaining -= len(got)
