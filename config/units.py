"""Durations and sizes as people write them: `30s`, `5m`, `64MiB`. Parsing, formatting and the two field types."""

import re
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)")


def parse_duration(value: object) -> float:
    """Read a duration such as `30s`, `1h30m` or `250ms`; return seconds. A bare number is refused, except 0."""
    text = str(value).strip()
    if text in {"0", "0.0"}:
        return 0.0
    position, total_seconds = 0, 0.0
    for match in _NUMBER.finditer(text):
        if match.start() != position or match.group(2) not in _SECONDS:
            break
        total_seconds += float(match.group(1)) * _SECONDS[match.group(2)]
        position = match.end()
    if position != len(text) or not text:
        raise ValueError(
            f"{text!r} is not a duration: write a number and a unit ({', '.join(_SECONDS)}), as in 30s"
        )
    return total_seconds


def parse_size(value: object) -> int:
    """Read a size such as `64MiB` or `20GB`; return bytes. A bare number is refused, except 0."""
    text = str(value).strip()
    if text == "0":
        return 0
    match = _NUMBER.fullmatch(text)
    if match is None or match.group(2) not in _BYTES:
        raise ValueError(
            f"{text!r} is not a size: write a number and a unit ({', '.join(_BYTES)}), as in 64MiB"
        )
    return int(float(match.group(1)) * _BYTES[match.group(2)])


def format_duration(seconds: float) -> str:
    """Write seconds with the largest unit that keeps the number whole, so that `parse_duration` reads it back."""
    for unit in ("d", "h", "m", "s"):
        if seconds >= _SECONDS[unit] and seconds % _SECONDS[unit] == 0:
            return f"{int(seconds / _SECONDS[unit])}{unit}"
    return f"{seconds:g}s" if seconds >= 1 else f"{round(seconds * 1000)}ms"


def format_size(n_bytes: int) -> str:
    """Write bytes with the largest binary unit that keeps the number whole, so that `parse_size` reads it back."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if n_bytes >= _BYTES[unit] and n_bytes % _BYTES[unit] == 0:
            return f"{n_bytes // _BYTES[unit]}{unit}"
    return f"{n_bytes}B"


Duration = Annotated[
    float,
    BeforeValidator(parse_duration),
    PlainSerializer(format_duration),
    WithJsonSchema({"type": "string", "examples": ["30s", "5m", "1h30m"]}),
]
Size = Annotated[
    int,
    BeforeValidator(parse_size),
    PlainSerializer(format_size),
    WithJsonSchema({"type": "string", "examples": ["64MiB", "20GB"]}),
]
