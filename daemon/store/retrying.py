"""A store that repeats what failed for a passing reason, within bounds."""

from collections.abc import Callable
from dataclasses import dataclass

import tenacity

from weightzip.daemon.store.protocol import Store
from weightzip.daemon.store.wrapping import Result, WrappedStore
from weightzip.errors import StoreUnavailable, TruncatedData

ObserveRetry = Callable[[str, str], None]
"""Called before each retry with (operation, reason), from any thread."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how patiently an operation is tried: waits double, with jitter, up to `max_wait_seconds`.

    `operation_seconds` is what one attempt may take, plus time for its bytes at a slow line's speed.
    """

    n_attempts: int = 5
    first_wait_seconds: float = 0.2
    max_wait_seconds: float = 5.0
    operation_seconds: float = 30.0


class RetryingStore(WrappedStore):
    """Repeat operations that met StoreUnavailable, or a range that came short; then let the error out.

    Every operation of a Store may be repeated without harm. A create whose first reply was lost answers
    ALREADY_EXISTS for our own object: the caller reads back and compares.
    """

    def __init__(
        self, inner: Store, policy: RetryPolicy | None = None, on_retry: ObserveRetry | None = None
    ) -> None:
        super().__init__(inner)
        self._policy = policy or RetryPolicy()
        self._on_retry = on_retry

    def _call(self, operation: str, sent_bytes: int, call: Callable[[], Result]) -> Result:
        def report(state: tenacity.RetryCallState) -> None:
            error = state.outcome.exception() if state.outcome else None
            if self._on_retry is not None:
                self._on_retry(operation, type(error).__name__)

        policy = self._policy
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(policy.n_attempts),
            wait=tenacity.wait_exponential(policy.first_wait_seconds, max=policy.max_wait_seconds)
            + tenacity.wait_random(0, policy.first_wait_seconds),
            retry=tenacity.retry_if_exception(_may_pass),
            before_sleep=report,
            reraise=True,
        )
        return retrying(call)


def _may_pass(error: BaseException) -> bool:
    if isinstance(error, TruncatedData):
        return True  # a connection cut at the right moment looks like the end of the object
    # Refused credentials do not get better with time.
    return isinstance(error, StoreUnavailable) and not isinstance(error.__cause__, PermissionError)
