"""What handlers share: the daemon's parts, and the way to run blocking calls off the loop."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from aiohttp import web

from weightzip.daemon.components import Components

COMPONENTS = web.AppKey("components", Components)
Result = TypeVar("Result")


def components_of(request: web.Request) -> Components:
    """Return the daemon's parts."""
    return request.app[COMPONENTS]


async def run_blocking(call: Callable[[], Result]) -> Result:
    """Run a call that may block in a thread."""
    return await asyncio.to_thread(call)
