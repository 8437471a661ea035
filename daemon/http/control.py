"""`POST /v1/prefetch`, `/v1/flush` and `/v1/drain`."""

from asyncio import to_thread

from aiohttp import web

from weightzip.daemon.http.context import components_of
from weightzip.daemon.http.requests import PrefetchRequest, read_body, read_deadline

_DEFAULT_FLUSH_SECONDS = 25.0
_MAX_FLUSH_SECONDS = 3600.0


async def prefetch(request: web.Request) -> web.Response:
    """Begin to bring a checkpoint's objects near; answer 202, or 409 while another checkpoint is fetched."""
    body = await read_body(request, PrefetchRequest)
    parts = components_of(request)

    def start() -> tuple[bool, int]:
        repository = parts.gateway.require()
        manifest = repository.load(body.selector)
        return parts.prefetcher.start(repository, manifest), manifest.step

    accepted, step = await to_thread(start)
    if not accepted:
        raise web.HTTPConflict(text="another checkpoint is being prefetched; ask again when it is done")
    return web.json_response({"step": step}, status=202)


async def flush(request: web.Request) -> web.Response:
    """Wait until everything complete on disk is committed: 200 if so, 504 if the deadline came first."""
    parts = components_of(request)
    deadline_seconds = read_deadline(request, _DEFAULT_FLUSH_SECONDS, _MAX_FLUSH_SECONDS)
    flushed = await to_thread(parts.flush, deadline_seconds, parts.stopping.is_set)
    waiting = [{"name": pin.name, "step": pin.step} for pin in parts.pipeline.pins]
    return web.json_response({"flushed": flushed, "waiting": waiting}, status=200 if flushed else 504)


async def drain(request: web.Request) -> web.Response:
    """Stop everything but bringing checkpoints to the store, and answer at once: fit for a preStop hook."""
    components_of(request).drain()
    return web.json_response({"draining": True}, status=202)
