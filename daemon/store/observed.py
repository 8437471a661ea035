"""A store that tells a callback about every operation: for metrics."""

import time
from collections.abc import Callable

from weightzip.daemon.store.protocol import Store
from weightzip.daemon.store.wrapping import Result, WrappedStore
from weightzip.errors import WeightzipError

ObserveOperation = Callable[[str, float, int, str | None], None]
"""Called after each operation with (operation, seconds, bytes moved, name of the error or None), from any thread."""


class ObservedStore(WrappedStore):
    """Report each operation, its time, the bytes it moved and how it ended."""

    def __init__(self, inner: Store, on_operation: ObserveOperation) -> None:
        super().__init__(inner)
        self._on_operation = on_operation

    def _call(self, operation: str, sent_bytes: int, call: Callable[[], Result]) -> Result:
        start = time.monotonic()
        try:
            result = call()
        except WeightzipError as error:
            self._on_operation(operation, time.monotonic() - start, 0, type(error).__name__)
            raise
        moved_bytes = len(result) if isinstance(result, bytes) else sent_bytes
        self._on_operation(operation, time.monotonic() - start, moved_bytes, None)
        return result
