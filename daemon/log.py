"""Logging: one line an event on standard error, for people on a terminal or JSON, secrets masked."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO

import structlog

from weightzip.config.log import LogSettings
from weightzip.config.show import MASK, is_secret_key, mask_url


class SecretMasker:
    """A structlog processor that hides known secret values, and credentials inside URLs, wherever they appear."""

    def __init__(self, secrets: frozenset[str]) -> None:
        # Very short values would mask half of every line, and are no secrets.
        self._secrets = tuple(
            sorted((secret for secret in secrets if len(secret) >= 4), key=len, reverse=True)
        )

    def __call__(self, logger: Any, method: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
        """Return the event with every string masked."""
        return {key: self._mask(value) for key, value in event.items()}

    def _mask(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        for secret in self._secrets:
            value = value.replace(secret, MASK)
        return mask_url(value)


def put_event_first(logger: Any, method: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
    """A structlog processor that begins each line with when, how bad and what."""
    first = {key: event[key] for key in ("timestamp", "level", "event") if key in event}
    return {**first, **event}


def configure_logging(settings: LogSettings, secrets: frozenset[str], stream: TextIO | None = None) -> None:
    """Set up structlog for the whole process. `secrets` are values that must never appear."""
    out = stream if stream is not None else sys.stderr
    human = settings.format == "human" or (settings.format == "auto" and out.isatty())
    renderer: Any = structlog.processors.JSONRenderer()
    if human:
        # Tracebacks are text before the renderer sees them, so that secrets in them are masked too.
        plain = structlog.dev.plain_traceback
        renderer = structlog.dev.ConsoleRenderer(
            colors=out.isatty(), exception_formatter=plain, sort_keys=False
        )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            SecretMasker(secrets),
            put_event_first,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, settings.level.upper())),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=False,
    )


def collect_secrets(options: Any) -> frozenset[str]:
    """Return the values in store options that `config show` would mask."""
    if isinstance(options, dict):
        found = frozenset(
            str(value) for key, value in options.items() if is_secret_key(key) and isinstance(value, str)
        )
        return found.union(*(collect_secrets(value) for value in options.values()))
    return frozenset()
