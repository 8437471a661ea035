"""`/v1/status` and `/v1/checkpoints`."""

from aiohttp import web

from weightzip.daemon.http.context import components_of, run_blocking
from weightzip.daemon.status import describe_checkpoints, describe_daemon


async def status(request: web.Request) -> web.Response:
    """Answer what the daemon does, has and waits for."""
    parts = components_of(request)
    return web.json_response(await run_blocking(lambda: describe_daemon(parts)))


async def checkpoints(request: web.Request) -> web.Response:
    """Answer the committed checkpoints, newest first."""
    parts = components_of(request)
    return web.json_response({"checkpoints": await run_blocking(lambda: describe_checkpoints(parts))})
