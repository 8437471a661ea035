"""Errors as JSON: `{error, message, hint}` with the status that fits."""

from collections.abc import Awaitable, Callable

import structlog
from aiohttp import web

from weightzip.errors import (
    CorruptData,
    DiskFull,
    NotFound,
    StoreConflict,
    StoreUnavailable,
    UsageError,
    WeightzipError,
)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_STATUS: tuple[tuple[type[WeightzipError], int], ...] = (
    (UsageError, 400),
    (NotFound, 404),
    (StoreConflict, 409),
    (CorruptData, 502),
    (StoreUnavailable, 503),
    (DiskFull, 507),
)


def failure_body(error: WeightzipError) -> dict[str, str]:
    """Return what a caller is told about an error."""
    return {"error": type(error).__name__, "message": str(error), "hint": error.hint}


def failure_status(error: WeightzipError) -> int:
    """Return the HTTP status of an error."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


@web.middleware
async def answer_failures(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn every error of a handler into a JSON answer."""
    try:
        return await handler(request)
    except WeightzipError as error:
        return web.json_response(failure_body(error), status=failure_status(error))
    except web.HTTPException as error:
        body = {
            "error": "Http" + error.reason.replace(" ", ""),
            "message": error.text or error.reason,
            "hint": "",
        }
        return web.json_response(body, status=error.status, headers=_kept_headers(error))
    except ConnectionResetError:
        raise
    except Exception:  # noqa: BLE001 - a boundary: whatever fails, the client gets JSON and our log the trace
        structlog.get_logger("http").exception("unexpected error", path=request.path)
        body = {"error": "InternalError", "message": "unexpected error, see the log", "hint": ""}
        return web.json_response(body, status=500)


def _kept_headers(error: web.HTTPException) -> dict[str, str]:
    return {name: value for name, value in error.headers.items() if name in {"Allow", "Content-Range"}}
