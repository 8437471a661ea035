"""A TCP proxy on loopback that cuts, stalls, slows or corrupts what passes, for tests of a bad network."""

import asyncio
import contextlib
import socket
import struct
import threading
from dataclasses import dataclass


@dataclass
class WireFaults:
    """What to do to the connections. Change the fields at any time: each read looks at them anew.

    Byte counts are per connection and downstream (server to client) unless they say otherwise; None means never.
    """

    refuse: bool = False
    reset_after_bytes: int | None = None
    reset_upload_after_bytes: int | None = None
    stall_after_bytes: int | None = None
    flip_bit_at_byte: int | None = None
    bytes_per_second: float | None = None


class FaultProxy:
    """Forward a free loopback port to `upstream_port`, applying `faults`, in a thread of its own."""

    def __init__(self, upstream_port: int) -> None:
        self._upstream_port = upstream_port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.faults = WireFaults()
        self.port = 0

    def start(self) -> None:
        """Listen; `port` is known when this returns."""
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", 0), self._loop
        ).result()
        self.port = self._server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        """Close every connection and wait for the thread."""
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _shut(self) -> None:
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.faults.refuse:
            _reset(writer)
            return
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._upstream_port)
        pumps = [
            asyncio.create_task(self._pump_up(reader, up_writer, writer)),
            asyncio.create_task(self._pump_down(up_reader, writer, up_writer)),
        ]
        # Cancelled only by `stop`, and ends quietly then: asyncio logs a cancelled connection as an error.
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*pumps)
        for side in (writer, up_writer):
            side.close()

    async def _pump_up(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, client: asyncio.StreamWriter
    ) -> None:
        passed = 0
        with contextlib.suppress(ConnectionError):
            while data := await source.read(1 << 16):
                passed += len(data)
                limit = self.faults.reset_upload_after_bytes
                if limit is not None and passed > limit:
                    _reset(target)
                    _reset(client)
                    return
                target.write(data)
                await target.drain()
            target.close()

    async def _pump_down(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, server: asyncio.StreamWriter
    ) -> None:
        passed = 0
        with contextlib.suppress(ConnectionError):
            while data := await source.read(1 << 16):
                faults = self.faults
                if faults.stall_after_bytes is not None and passed + len(data) > faults.stall_after_bytes:
                    await asyncio.Event().wait()
                if faults.reset_after_bytes is not None and passed + len(data) > faults.reset_after_bytes:
                    _reset(target)
                    _reset(server)
                    return
                if faults.bytes_per_second is not None:
                    await asyncio.sleep(len(data) / faults.bytes_per_second)
                target.write(_flip_bit(data, faults.flip_bit_at_byte, passed))
                await target.drain()
                passed += len(data)
            target.close()


def _flip_bit(data: bytes, position: int | None, start: int) -> bytes:
    """Flip the lowest bit of the byte at `position` of the connection, if `data`, from `start` on, holds it."""
    if position is None or not start <= position < start + len(data):
        return data
    spoilt = bytearray(data)
    spoilt[position - start] ^= 1
    return bytes(spoilt)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with RST instead of FIN: the peer sees a reset connection, not a clean end."""
    sock: socket.socket = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
