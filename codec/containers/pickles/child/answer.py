"""Takes questions from a stream and writes rows that answer them, within a budget."""

import struct
from collections.abc import Callable, Iterator
from io import BytesIO
from json import JSONEncoder
from typing import BinaryIO

from weightzip.codec.containers.pickles.child.dcp import list_dcp_rows
from weightzip.codec.containers.pickles.child.inert import InertUnpickler
from weightzip.codec.containers.pickles.child.tensors import list_tensor_rows
from weightzip.codec.containers.pickles.child.values import Refused, Row, get_field, take_text

MAX_ROWS = 1_500_000
MAX_ROW_BYTES = 256 << 20
_HEAD = struct.Struct("<cQ")

_LEGACY_FRONT = (0x1950A86A20F9469CFC6C, 1001)


class _OverBudget(Exception):
    """The rows to all questions together are too many."""


class _RowWriter:
    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._encode = JSONEncoder(separators=(",", ":"), check_circular=False).encode
        self._rows_left, self._bytes_left = MAX_ROWS, MAX_ROW_BYTES

    def write(self, row: Row) -> None:
        line = self._encode(row).encode("ascii") + b"\n"
        self._rows_left -= 1
        self._bytes_left -= len(line)
        if self._rows_left < 0 or self._bytes_left < 0:
            raise _OverBudget
        self._out.write(line)


def answer_questions(questions: BinaryIO, out: BinaryIO) -> None:
    """Answer each question until there is no more."""
    writer = _RowWriter(out)
    while head := questions.read(_HEAD.size):
        kind, n_bytes = _HEAD.unpack(head)
        try:
            _answer(kind, questions.read(n_bytes), writer)
        except _OverBudget:
            return
        except Exception:  # noqa: BLE001 - a boundary: whatever a pickle does, the answer is that it is refused
            writer.write(["refused"])
        out.flush()


def _answer(kind: bytes, data: bytes, writer: _RowWriter) -> None:
    stream = BytesIO(data)
    for row in _SPEAKERS[kind](stream):
        writer.write(row)
    writer.write(["end", stream.tell()])


def _tell_tensors(stream: BytesIO) -> Iterator[Row]:
    unpickler = InertUnpickler(stream)
    value = unpickler.load()
    yield from list_tensor_rows(value, unpickler.references.values())


def _tell_legacy(stream: BytesIO) -> Iterator[Row]:
    """Yield rows on the five pickles in front of torch's files of old."""
    for expected in _LEGACY_FRONT:
        if InertUnpickler(stream).load() != expected:
            raise Refused
    yield ["machine", get_field(InertUnpickler(stream).load(), "little_endian") is not False]
    yield from _tell_tensors(stream)
    keys = InertUnpickler(stream).load()
    if not isinstance(keys, list):
        raise Refused
    for key in keys:
        yield ["key", take_text(key)]


def _tell_dcp_metadata(stream: BytesIO) -> Iterator[Row]:
    yield from list_dcp_rows(InertUnpickler(stream).load())


# What to say of a pickle, by the kind of the question.
_SPEAKERS: dict[bytes, Callable[[BytesIO], Iterator[Row]]] = {
    b"t": _tell_tensors,
    b"l": _tell_legacy,
    b"d": _tell_dcp_metadata,
}
