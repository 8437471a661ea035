"""Who may call: browsers are kept from reaching the daemon through a rebound name or from a foreign page."""

from urllib.parse import urlsplit

from aiohttp import web

from weightzip.config.server import is_loopback, split_address
from weightzip.daemon.http.context import components_of
from weightzip.daemon.http.failures import Handler

_OPEN_PATHS = frozenset({"/livez", "/startupz", "/readyz", "/metrics"})


@web.middleware
async def refuse_foreign_hosts(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer 403 unless the Host header (and Origin, if a browser sends one) is a name that this daemon goes by.

    Health and metrics are open: probes and scrapers call them by the pod's address, and they change nothing.
    """
    if request.path in _OPEN_PATHS:
        return await handler(request)
    server = components_of(request).settings.server
    allowed = {*server.allowed_hosts, server.address.host}
    for header, host in (
        ("Host", _host_of(request.host)),
        ("Origin", _origin_of(request.headers.get("Origin"))),
    ):
        if host is not None and not is_loopback(host) and host not in allowed:
            raise web.HTTPForbidden(
                text=f"{header} {host!r} is not allowed; add it to server.allowed_hosts if it is yours"
            )
    return await handler(request)


def _host_of(header: str) -> str:
    try:
        return split_address(header).host
    except ValueError:
        return header.removeprefix("[").removesuffix("]")


def _origin_of(header: str | None) -> str | None:
    if header is None:
        return None
    try:
        # A page without an origin of its own sends "null": it is foreign too.
        return urlsplit(header).hostname or header
    except ValueError:
        return header
