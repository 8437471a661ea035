"""What handlers share: the daemon's parts. Calls that may block run in threads, off the loop."""

from aiohttp import web

from weightzip.daemon.components import Components

COMPONENTS = web.AppKey("components", Components)


def components_of(request: web.Request) -> Components:
    """Return the daemon's parts."""
    return request.app[COMPONENTS]
