"""Small JSON documents: whole if they parse."""

import json
import os
from typing import Any

MAX_JSON_BYTES = 64 << 20


def load_json(descriptor: int, size_bytes: int) -> Any:
    """Parse a JSON file of at most MAX_JSON_BYTES; raises ValueError if it is cut off, empty or nested absurdly."""
    try:
        return json.loads(os.pread(descriptor, size_bytes, 0))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
