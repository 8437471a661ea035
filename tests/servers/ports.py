"""Free loopback ports for the servers that tests start."""

import random
import socket
from collections.abc import Iterator
from itertools import islice

# SeaweedFS listens on each port and on the port 10 000 above it; both stay below the ephemeral range (32 768 up).
GRPC_OFFSET = 10_000
_FIRST, _LAST = 10_000, 22_000


def pick_port_pairs(n_ports: int) -> list[int]:
    """Return `n_ports` different ports that are free, and whose gRPC twins are free, at this moment."""
    return list(islice(_free_pairs(), n_ports))


def _free_pairs() -> Iterator[int]:
    candidates = list(range(_FIRST, _LAST))
    random.SystemRandom().shuffle(candidates)
    return (port for port in candidates if _is_free(port) and _is_free(port + GRPC_OFFSET))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
