"""`/v1/status` and `/v1/checkpoints`."""

from asyncio import to_thread

from aiohttp import web

from weightzip.daemon.http.context import components_of
from weightzip.daemon.status import describe_checkpoints, describe_daemon


async def status(request: web.Request) -> web.Response:
    """Answer what the daemon does, has and waits for."""
    parts = components_of(request)
    return web.json_response(await to_thread(describe_daemon, parts))


async def checkpoints(request: web.Request) -> web.Response:
    """Answer the committed checkpoints, newest first."""
    parts = components_of(request)
    return web.json_response({"checkpoints": await to_thread(describe_checkpoints, parts)})
