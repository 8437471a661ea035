"""Section `server`: the HTTP interface."""

import ipaddress
from typing import NamedTuple

from pydantic import field_validator

from weightzip.config.section import Section


class Address(NamedTuple):
    """Host and port of a listener."""

    host: str
    port: int


class ServerSettings(Section):
    """The HTTP interface: health, metrics, status, restore."""

    listen: str = "127.0.0.1:9440"
    """Address and port; port 0 picks a free one. Keep it on loopback unless the network is trusted: callers are not authenticated."""
    allowed_hosts: tuple[str, ...] = ()
    """Host names (without port) accepted in the Host header of calls that change something, beside loopback names."""

    @field_validator("listen")
    @classmethod
    def _check_listen(cls, value: str) -> str:
        split_address(value)
        return value

    @property
    def address(self) -> Address:
        """Return the listen address, split."""
        return split_address(self.listen)


def split_address(text: str) -> Address:
    """Split `host:port` or `[v6]:port`; raises ValueError for anything else."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"{text!r} is not an address: write HOST:PORT, as in 127.0.0.1:9440")
    return Address(host, int(port))


def is_loopback(host: str) -> bool:
    """Say whether a host name or address means this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
