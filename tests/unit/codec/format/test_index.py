"""The index: symmetric, proven on reading, fast at fifty thousand tensors, safe against bombs."""

import os
import struct
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from weightzip.codec.format.block_group import Transform
from weightzip.codec.format.data_frame import Method
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.frame_table import FrameFacts, FrameRow, build_frame_table
from weightzip.codec.format.index import Index, decode_index, encode_index
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.format.limits import MAX_TENSORS
from weightzip.codec.zstd import compress_zstd
from weightzip.errors import CorruptData

DIGEST = bytes(range(32))
ROWS = (
    FrameRow(64, 100, FrameFacts(40, Method.BLOCKS, Transform.FLOAT_DIFFERENCE, 1)),
    FrameRow(164, 50, FrameFacts(60, Method.STORED, Transform.IDENTITY, 0)),
)
TENSORS = (
    TensorRange("a", DType.F32, (2, 5), 8, 40),
    TensorRange("empty", DType.F32, (0,), 48, 0),
    TensorRange("ü", DType.U8, (), 48, 1),
)
INDEX_OFFSET = 214


def _make_index(
    rows: tuple[FrameRow, ...] = ROWS, tensors: tuple[TensorRange, ...] = TENSORS, file_bytes: int = 100
) -> Index:
    layout = Layout(ContainerKind.SAFETENSORS, file_bytes, tensors)
    return Index(DIGEST, layout, build_frame_table(rows))


def _decode(index: Index, index_offset: int = INDEX_OFFSET) -> Index:
    return decode_index(encode_index(index), index_offset=index_offset, place="x")


def test_what_is_encoded_is_decoded() -> None:
    decoded = _decode(_make_index())
    assert decoded.layout == _make_index().layout
    assert decoded.file_digest == DIGEST
    assert [decoded.frames.row(number) for number in range(2)] == list(ROWS)


def test_an_index_of_much_the_same_is_no_bomb() -> None:
    tensors = tuple(TensorRange(f"{i:x}", DType.U8, (1,) * 255, i, 1) for i in range(2000))
    table = build_frame_table([FrameRow(24, 190, FrameFacts(2000, Method.STORED, Transform.IDENTITY, 0))])
    index = Index(DIGEST, Layout(ContainerKind.SAFETENSORS, 2000, tensors), table)
    assert _decode(index).layout == index.layout


def test_an_empty_file_has_no_frames() -> None:
    decoded = _decode(_make_index((), (), 0), index_offset=24)
    assert (len(decoded.frames), decoded.layout.tensors, decoded.file_bytes) == (0, (), 0)


@pytest.mark.parametrize(
    ("offset", "n_bytes", "expected"),
    [(0, 1, range(1)), (39, 1, range(1)), (40, 1, range(1, 2)), (39, 2, range(2)), (0, 100, range(2))],
)
def test_frames_are_found_by_their_bytes(offset: int, n_bytes: int, expected: range) -> None:
    assert _make_index().frames.find(offset, n_bytes) == expected


def _change_row(number: int, **changes: object) -> tuple[FrameRow, ...]:
    rows = list(ROWS)
    facts = {name: value for name, value in changes.items() if name in FrameFacts._fields}
    others = {name: value for name, value in changes.items() if name in FrameRow._fields}
    rows[number] = rows[number]._replace(facts=rows[number].facts._replace(**facts), **others)  # type: ignore[arg-type]
    return tuple(rows)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (_change_row(0, raw_bytes=41), "do not sum"),
        (_change_row(0, raw_bytes=0), "raw_bytes is out of range"),
        (_change_row(0, raw_bytes=1 << 26), "raw_bytes is out of range"),
        (_change_row(0, frame_bytes=16), "frame_bytes is out of range"),
        (_change_row(0, frame_bytes=101), "back to back"),
        (_change_row(0, archive_offset=65), "does not follow the header"),
        (_change_row(1, archive_offset=165), "back to back"),
        (_change_row(0, method=6), "method is reserved"),
        (_change_row(0, transform=4), "transform is reserved"),
        (_change_row(1, transform=1), "without blocks"),
        (_change_row(0, leans_on=2), "the header names none"),
        (_change_row(0, leans_on=0x4001), "the header names none"),
        (_change_row(1, leans_on=1), "leans on nothing says that it does"),
        (_change_row(1, leans_on=0x8000), "leans on nothing says that it does"),
        (_change_row(1, method=Method.IDENTICAL), "must lean"),
        (_change_row(1, method=Method.DERIVED), "must lean"),
    ],
)
def test_frames_that_lie_are_rejected(rows: tuple[FrameRow, ...], message: str) -> None:
    with pytest.raises(CorruptData, match=message):
        _decode(_make_index(rows))


def test_what_frames_lean_on_is_told() -> None:
    rows = (
        FrameRow(64 + 40 * 14, 100, FrameFacts(40, Method.BLOCKS, Transform.FLOAT_DIFFERENCE, 0x4000)),
        FrameRow(164 + 40 * 14, 50, FrameFacts(60, Method.DERIVED, Transform.IDENTITY, 0x8002)),
    )
    frames = _decode(_make_index(rows), INDEX_OFFSET + 40 * 14).frames
    assert frames.list_references() == [1, 14]
    assert frames.leans_on_itself.tolist() == [False, True]


def test_a_frame_cannot_lean_on_a_predecessor_that_the_header_does_not_name() -> None:
    rows = tuple(row._replace(archive_offset=row.archive_offset - 40) for row in ROWS)
    with pytest.raises(CorruptData, match="the header names none"):
        _decode(_make_index(rows), INDEX_OFFSET - 40)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ((replace(TENSORS[0], n_bytes=44, shape=(11,)), TENSORS[2]), None),
        ((TENSORS[2], TENSORS[0]), "out of order"),
        ((TENSORS[0], replace(TENSORS[2], offset=47)), "overlap"),
        ((replace(TENSORS[2], offset=100),), "beyond the shard"),
        ((replace(TENSORS[2], offset=1 << 63),), "outside the shard"),
        ((replace(TENSORS[0], n_bytes=(1 << 64) - 8),), "outside the shard"),
        ((replace(TENSORS[0], shape=(3, 3)),), "its shape"),
        ((TENSORS[0], replace(TENSORS[2], name="a")), "one name"),
    ],
)
def test_tensors_that_lie_are_rejected(tensors: tuple[TensorRange, ...], message: str | None) -> None:
    if message is None:
        tensors = (tensors[0], replace(tensors[1], offset=tensors[0].end))
        assert _decode(_make_index(tensors=tensors)).layout.tensors == tensors
        return
    with pytest.raises(CorruptData, match=message):
        _decode(_make_index(tensors=tensors))


def _reseal(plain: bytes) -> bytes:
    return struct.pack("<Q", len(plain)) + compress_zstd(plain)


def _get_plain(index: Index) -> bytes:
    from weightzip.codec.zstd import decompress_zstd

    body = encode_index(index)
    return decompress_zstd(body[8:], int.from_bytes(body[:8], "little"), "x")


def test_every_cut_and_any_surplus_of_the_content_is_rejected() -> None:
    plain = _get_plain(_make_index())
    for content in (*(plain[:n_bytes] for n_bytes in range(len(plain))), plain + b"\0"):
        with pytest.raises(CorruptData):
            decode_index(_reseal(content), index_offset=INDEX_OFFSET, place="x")


def test_names_must_be_utf8() -> None:
    plain = _get_plain(_make_index()).replace("ü".encode(), b"\xff\xfe")
    with pytest.raises(CorruptData, match="not UTF-8"):
        decode_index(_reseal(plain), index_offset=INDEX_OFFSET, place="x")


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = compress_zstd(bytes(100_000_000))
    body = struct.pack("<Q", 100_000_000) + bomb
    tracemalloc.start()
    with pytest.raises(CorruptData, match="it claims 100000000 bytes"):
        decode_index(body, index_offset=INDEX_OFFSET, place="x")
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 1_000_000


def test_more_tensors_than_the_limit_are_refused_before_they_are_built() -> None:
    n_tensors = MAX_TENSORS + 1
    plain = _get_plain(_make_index(tensors=()))
    assert plain.endswith(bytes(4))
    plain = plain[:-4] + n_tensors.to_bytes(4, "little") + bytes(22 * n_tensors)
    body = struct.pack("<Q", len(plain)) + compress_zstd(plain[:1000] + os.urandom(len(plain) - 1000))
    tracemalloc.start()
    with pytest.raises(CorruptData, match="too many"):
        decode_index(body, index_offset=INDEX_OFFSET, place="x")
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 2 * len(plain)


def test_fifty_thousand_tensors_round_trip() -> None:
    tensors = tuple(
        TensorRange(f"model.layers.{number}.self_attn.q_proj.weight", DType.BF16, (2, 2), 8 * number, 8)
        for number in range(50_000)
    )
    rows = (FrameRow(24, 100, FrameFacts(400_000, Method.BLOCKS, Transform.ROTATE, 0)),)
    decoded = decode_index(encode_index(_make_index(rows, tensors, 400_000)), index_offset=124, place="x")
    assert decoded.layout.tensors == tensors
    assert np.array_equal(decoded.frames.raw_offset, [0, 400_000])
