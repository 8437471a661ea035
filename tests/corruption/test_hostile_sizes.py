"""Archives whose checksums are right and whose sizes lie: nothing is allocated on their word."""

import io
import struct
import tracemalloc
from collections.abc import Callable

import pytest

from weightzip.codec.backend import CpuBackend
from weightzip.codec.format.block_group import Transform
from weightzip.codec.format.checksum import compute_checksum
from weightzip.codec.format.data_frame import DataFrame, Method, encode_data_frame
from weightzip.codec.format.footer import encode_footer
from weightzip.codec.format.frame import FrameKind, encode_frame_header
from weightzip.codec.format.frame_table import FrameFacts, FrameRow, build_frame_table
from weightzip.codec.format.header import MAGIC, Header, encode_header
from weightzip.codec.format.index import Index, encode_index
from weightzip.codec.format.layout import ContainerKind, Layout
from weightzip.codec.format.limits import MAX_FRAME_RAW_BYTES
from weightzip.codec.reader import Archive
from weightzip.codec.source import MemorySource
from weightzip.codec.stream import StreamDecoder
from weightzip.codec.zstd import compress_zstd
from weightzip.errors import CorruptData

HEADER = encode_header(Header())
MAX_PEAK_BYTES = 4 << 20


def _seal(kind: FrameKind, body: bytes) -> bytes:
    return encode_frame_header(kind, body) + body


def _with_index(plain: bytes, plain_bytes: int | None = None) -> bytes:
    body = struct.pack("<Q", len(plain) if plain_bytes is None else plain_bytes) + compress_zstd(plain)
    return HEADER + _seal(FrameKind.INDEX, body) + encode_footer(len(HEADER))


def _with_frame(body: bytes, raw_bytes: int, method: Method = Method.BLOCKS) -> bytes:
    """Return an archive of one data frame that the index describes as told."""
    frame = _seal(FrameKind.DATA, body)
    facts = FrameFacts(raw_bytes, method, Transform.IDENTITY, leans_on=0)
    table = build_frame_table([FrameRow(len(HEADER), len(frame), facts)])
    index = encode_index(Index(bytes(32), Layout(ContainerKind.OPAQUE, raw_bytes, ()), table))
    front = HEADER + frame
    return front + _seal(FrameKind.INDEX, index) + encode_footer(len(front))


def _frame(method: Method, raw_bytes: int, rest: bytes) -> bytes:
    return b"".join(encode_data_frame(DataFrame(method, raw_bytes, 0, None, None, rest)))


def _zstd_claiming(n_bytes: int) -> bytes:
    """Return a zstd frame header that claims n_bytes of content, with next to nothing behind it."""
    return b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", n_bytes) + b"\x01\x00\x00"


INDEX_FRONT = struct.pack("<Q", 0) + bytes(32) + b"\x00"
HOSTILE = {
    "index claims 256 MiB": _with_index(b"", 256 << 20),
    "index claims 2^64 - 1": _with_index(b"", (1 << 64) - 1),
    "index is a bomb": _with_index(bytes(64 << 20)),
    "four billion frames": _with_index(INDEX_FRONT + struct.pack("<I", 0xFFFFFFFF)),
    "four billion tensors": _with_index(INDEX_FRONT + struct.pack("<II", 0, 0xFFFFFFFF)),
    "a name of 4 GB": _with_index(
        INDEX_FRONT + struct.pack("<II", 0, 1) + bytes(18) + struct.pack("<I", 0xFFFFFFFF)
    ),
    "a stored frame of 32 MiB": _with_frame(
        _frame(Method.STORED, MAX_FRAME_RAW_BYTES, b"x"), MAX_FRAME_RAW_BYTES, Method.STORED
    ),
    "a zstd frame of 32 MiB": _with_frame(
        _frame(Method.ZSTD, 5, _zstd_claiming(MAX_FRAME_RAW_BYTES)), 5, Method.ZSTD
    ),
    "four billion references": HEADER[:12]
    + struct.pack("<I", 0xFFFFFFFF)
    + struct.pack("<Q", compute_checksum(HEADER[:12] + struct.pack("<I", 0xFFFFFFFF)))
    + bytes(100),
    "a body of 48 MiB that is not there": HEADER + struct.pack("<B3xIQ", 1, 48 << 20, 0),
    "an index of 4 GB that is not there": HEADER + struct.pack("<B3xIQ", 2, 0xFFFFFFFF, 0),
    "a footer that points to 2^64 - 1": HEADER + bytes(40) + encode_footer((1 << 64) - 1),
    "a footer that points at the header": HEADER + bytes(40) + encode_footer(0),
    "a footer that points at itself": HEADER + bytes(40) + encode_footer(len(HEADER) + 40),
    "the magic and nothing else": MAGIC,
}


def _open(data: bytes) -> None:
    archive = Archive(MemorySource(data))
    archive.read_range(0, archive.index.file_bytes)


def _stream(data: bytes) -> None:
    for _ in StreamDecoder(io.BytesIO(data), predecessor=None, backend=CpuBackend(1)):
        pass


@pytest.mark.parametrize("decode", [_open, _stream], ids=["file", "pipe"])
@pytest.mark.parametrize("name", HOSTILE)
def test_lies_about_sizes_allocate_nothing(name: str, decode: Callable[[bytes], None]) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(CorruptData):
            decode(HOSTILE[name])
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < MAX_PEAK_BYTES


PLAIN = bytes([0, 0, 16, 1, 0, 0, 0])
FACTORS = bytes([0, 3, 16, 1, 2, 0, 0, 3, 0, 0])
N_ELEMENTS = 80_000
GROUPS = {
    "empty": b"",
    "head only": PLAIN,
    "tables of 4 GB": PLAIN + bytes([0, 0]) + struct.pack("<I", 0xFFFFFFFF),
    "no block table": bytes([0, 0, 10, 1, 0, 0, 0]) + bytes([0, 0]) + struct.pack("<I", 0),
    "a plane of 16 MB": PLAIN + bytes([0, 0]) + struct.pack("<3I", 0, *[0x00FFFFFF] * 2),
    "eight planes": bytes([3, 0, 10, 1, 0, 0, 0]) + bytes(16) + struct.pack("<I", 0),
    "65535 sections": FACTORS + struct.pack("<H", 0xFFFF),
    "a section of 4 GB": FACTORS + struct.pack("<HIII", 1, 0xFFFFFFFF, 0, 0),
    "sections that sum to 2^32 more": FACTORS
    + struct.pack("<H6I", 2, 0xFFFFFFFF, 0, 0, N_ELEMENTS + 1, 0, 0)
    + struct.pack("<I", 8)
    + bytes(8),
    "factors of 4 GB": FACTORS + struct.pack("<HIIII", 1, N_ELEMENTS, 0, 0, 0xFFFFFFFF),
    "a factor a row, and no bits": FACTORS
    + struct.pack("<HIIII", 1, N_ELEMENTS, 1, 0, 5)
    + struct.pack("<IB", 0, 0),
    "a factor a column, and no bits": FACTORS
    + struct.pack("<HIIII", 1, N_ELEMENTS, N_ELEMENTS, N_ELEMENTS - 1, 5)
    + struct.pack("<IB", 0, 0),
    "zeros that never end": FACTORS
    + struct.pack("<HIIII", 1, N_ELEMENTS, N_ELEMENTS, 0, 100_000)
    + bytes(100_000),
}


@pytest.mark.parametrize("name", GROUPS)
def test_hostile_block_groups_are_named(name: str) -> None:
    raw_bytes = N_ELEMENTS
    with pytest.raises(CorruptData, match="frame 0"):
        _open(_with_frame(_frame(Method.BLOCKS, raw_bytes, GROUPS[name]), raw_bytes))
