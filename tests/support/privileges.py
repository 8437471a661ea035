"""Acting without the privileges of root, whom no mode keeps out."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_privileges() -> Iterator[None]:
    """Act as nobody where the tests run as root."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
