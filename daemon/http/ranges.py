"""The Range header, one range of bytes. Pure."""

import re
from dataclasses import dataclass

# No file has more than 18 digits of bytes, and Python refuses to read a number of thousands of them.
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


@dataclass(frozen=True)
class ByteRange:
    """Bytes `start` up to, not including, `end`."""

    start: int
    end: int


class UnsatisfiableRange(ValueError):
    """The range begins past the end of the file."""


def parse_range(header: str | None, size_bytes: int) -> ByteRange | None:
    """Return the range a header asks for, cut to the file; None for the whole file.

    A header of another unit, of several ranges, of absurd numbers or of no sense is ignored, as RFC 9110 allows.

    Raises:
        UnsatisfiableRange: no byte of the file is in the range.
    """
    match = _RANGE.fullmatch(header.strip()) if header is not None else None
    if match is None or match.group(0) == "bytes=-":
        return None
    first, last = match.group(1), match.group(2)
    if not first:
        start, end = max(size_bytes - int(last), 0), size_bytes
    else:
        start, end = int(first), int(last) + 1 if last else size_bytes
        if last and end <= start:
            return None
    if start >= size_bytes:
        raise UnsatisfiableRange(f"the file has {size_bytes} bytes")
    return ByteRange(start, min(end, size_bytes))
