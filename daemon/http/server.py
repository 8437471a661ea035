"""Routes and the listening socket."""

from aiohttp import web

from weightzip.config.server import Address
from weightzip.daemon.components import Components
from weightzip.daemon.http import control, files, health, restores, status
from weightzip.daemon.http.context import COMPONENTS
from weightzip.daemon.http.failures import answer_failures
from weightzip.daemon.http.guard import refuse_foreign_hosts
from weightzip.errors import UsageError

_MAX_BODY_BYTES = 64 << 10


def build_app(components: Components) -> web.Application:
    """Return the application with all routes."""
    app = web.Application(
        middlewares=[answer_failures, refuse_foreign_hosts], client_max_size=_MAX_BODY_BYTES
    )
    app[COMPONENTS] = components
    app.add_routes(
        [
            web.get("/livez", health.livez),
            web.get("/startupz", health.startupz),
            web.get("/readyz", health.readyz),
            web.get("/metrics", health.metrics),
            web.get("/v1/status", status.status),
            web.get("/v1/checkpoints", status.checkpoints),
            web.get("/v1/checkpoints/{step}/files/{path:.+}", files.get_file),
            web.post("/v1/restore", restores.start_restore),
            web.get("/v1/restore/{id}", restores.show_restore),
            web.post("/v1/prefetch", control.prefetch),
            web.post("/v1/flush", control.flush),
            web.post("/v1/drain", control.drain),
        ]
    )
    return app


class HttpServer:
    """The listening server of one daemon."""

    def __init__(self, components: Components) -> None:
        self._address = components.settings.server.address
        self._runner = web.AppRunner(build_app(components), access_log=None)

    async def start(self) -> Address:
        """Begin to listen; returns the address, with the port that was picked if 0 was asked for.

        Raises:
            UsageError: the address is taken or not ours.
        """
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._address.host, self._address.port).start()
        except OSError as error:
            raise UsageError(
                f"server.listen: {self._address.host}:{self._address.port}: {error.strerror}; choose another address: "
                "WEIGHTZIP_SERVER__LISTEN=127.0.0.1:0 picks a free port"
            ) from error
        return Address(self._address.host, self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Stop listening; running requests get a moment to end."""
        await self._runner.cleanup()
