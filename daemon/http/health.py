"""Probes and metrics. None of them asks the store: an outage there must not restart or unready a training pod."""

from asyncio import to_thread

from aiohttp import web

from weightzip.daemon.http.context import components_of


async def livez(request: web.Request) -> web.Response:
    """Answer 200 while the loop runs and the threads that must run do."""
    parts = components_of(request)
    if parts.started.is_set() and not parts.draining.is_set() and parts.ended_workers():
        return web.json_response({"status": "a worker thread has ended"}, status=500)
    return web.json_response({"status": "alive"})


async def startupz(request: web.Request) -> web.Response:
    """Answer 200 once the restore at the start (if asked for) and the first look are done."""
    if components_of(request).started.is_set():
        return web.json_response({"status": "started"})
    return web.json_response({"status": "starting"}, status=503)


async def readyz(request: web.Request) -> web.Response:
    """Answer 200 while restores can be asked for."""
    parts = components_of(request)
    if parts.started.is_set() and not parts.draining.is_set():
        return web.json_response({"status": "ready"})
    return web.json_response({"status": "draining" if parts.draining.is_set() else "starting"}, status=503)


async def metrics(request: web.Request) -> web.Response:
    """Answer all metrics in the text format of Prometheus."""
    body = await to_thread(components_of(request).metrics.render)
    return web.Response(body=body, headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})
