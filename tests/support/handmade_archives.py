"""Archives written by hand, field by field: for what a writer never writes, and for what it may choose not to.

The numbers here are those of docs/format.md, not imported from the code under test.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import xxhash
import zstandard
from blake3 import blake3

STORED, ZSTD, CONSTANT, IDENTICAL, BLOCKS, DERIVED = range(6)
OWN = 255
LEANS_ON_ITSELF = 1
ARRANGED = 2
_OWN_BIT = 15


@dataclass(frozen=True)
class HandInput:
    """Bytes that a frame leans on, and its pieces of them as (offset, piece_bytes, reference)."""

    data: bytes
    pieces: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class HandFrame:
    """A data frame. `leans_on` is what the index says instead of the truth, if given."""

    method: int
    raw: bytes
    rest: bytes
    predecessor: HandInput | None = None
    companion: HandInput | None = None
    leans_on: int | None = None


def whole(data: bytes, reference: int = 0, offset: int = 0) -> HandInput:
    """Return an input of one piece."""
    return HandInput(data, ((offset, len(data), reference),))


def build_handmade_archive(
    frames: Sequence[HandFrame],
    references: Sequence[bytes] = (),
    *,
    flags: int = 0,
    runs: Sequence[tuple[int, int]] = (),
) -> bytes:
    """Return the archive of these frames; `references` are the files that its header names.

    `runs` are (gap, run_bytes): where the frames' bytes go, if not one after another.
    """
    out = bytes.fromhex("89575a53540d0a1a") + struct.pack("<HHI", 1, flags, len(references))
    for reference in references:
        out += blake3(reference).digest() + struct.pack("<Q", len(reference))
    out += struct.pack("<Q", _sum(out))
    rows = []
    for frame in frames:
        sealed = _seal(1, _write_body(frame))
        transform = frame.rest[1] if frame.method == BLOCKS else 0
        rows.append((len(out), len(sealed), len(frame.raw), frame.method, transform, _find_leans_on(frame)))
        out += sealed
    shard = arrange(b"".join(frame.raw for frame in frames), runs)
    plain = struct.pack("<Q", len(shard)) + blake3(shard).digest() + struct.pack("<BI", 0, len(rows))
    for code, column in zip("QIIBBH", zip(*rows, strict=True), strict=bool(rows)):
        plain += struct.pack(f"<{len(column)}{code}", *column)
    plain += struct.pack("<I", len(runs))
    for code, column in zip("qQ", zip(*runs, strict=True), strict=bool(runs)):
        plain += struct.pack(f"<{len(column)}{code}", *column)
    plain += struct.pack("<I", 0)
    index_offset = struct.pack("<Q", len(out))
    out += _seal(2, struct.pack("<Q", len(plain)) + zstandard.ZstdCompressor().compress(plain))
    return out + index_offset + struct.pack("<Q", _sum(index_offset)) + b"WZSTEND\n"


def arrange(arranged: bytes, runs: Sequence[tuple[int, int]]) -> bytes:
    """Return the shard whose arranged bytes these are; runs that lie beyond it are left out."""
    shard = bytearray(arranged)
    first = end = 0
    for gap, run_bytes in runs:
        begin = end + gap
        end = begin + run_bytes
        if 0 <= begin <= end <= len(shard):
            shard[begin:end] = arranged[first : first + run_bytes].ljust(run_bytes, b"\0")
        first += run_bytes
    return bytes(shard)


def _write_body(frame: HandFrame) -> bytes:
    inputs = (frame.predecessor, frame.companion)
    n_pieces = [0 if given is None else len(given.pieces) for given in inputs]
    body = struct.pack("<BBHHHIQ", frame.method, 0, *n_pieces, 0, len(frame.raw), _sum(frame.raw))
    for given in inputs:
        if given is not None:
            body += _write_pieces(given.pieces) + struct.pack("<Q", _sum(given.data))
    return body + frame.rest


def _write_pieces(pieces: Sequence[tuple[int, int, int]]) -> bytes:
    if len(pieces) == 1:
        return struct.pack("<QIB", *pieces[0])
    offsets, sizes, references = zip(*pieces, strict=True)
    ends = [0, *(offset + size for offset, size in zip(offsets, sizes, strict=True))]
    gaps = [(offset - end) % (1 << 64) for offset, end in zip(offsets, ends[:-1], strict=True)]
    plain = struct.pack(f"<{len(pieces)}Q{len(pieces)}I", *gaps, *sizes) + bytes(references)
    stored = zstandard.ZstdCompressor().compress(plain)
    return struct.pack("<I", len(stored)) + stored


def _find_leans_on(frame: HandFrame) -> int:
    if frame.leans_on is not None:
        return frame.leans_on
    inputs = [given for given in (frame.predecessor, frame.companion) if given is not None]
    bits = {_OWN_BIT if piece[2] == OWN else piece[2] for given in inputs for piece in given.pieces}
    return sum(1 << bit for bit in bits if bit <= _OWN_BIT)


def _seal(kind: int, body: bytes) -> bytes:
    return struct.pack("<B3xIQ", kind, len(body), _sum(body)) + body


def _sum(data: bytes) -> int:
    return xxhash.xxh3_64_intdigest(data)
