"""Turns the rows of the child into contents. Nothing in them is trusted: types, numbers and lengths are checked."""

import json
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from weightzip.codec.containers.pickles.contents import (
    DcpItem,
    DcpMetadata,
    DcpTensor,
    LegacyContents,
    ParamGroupEntry,
    ParamShape,
    PickleContents,
    PickledStorage,
    PickledTensor,
    PickleFacts,
    SliceMapping,
)

Row: TypeAlias = list[object]
MAX_TEXT_CHARS = 512
MAX_RANK = 64
_MAX_NUMBERS = 1024
_MAX_NUMBER = 1 << 63
_DECODER = json.JSONDecoder()


class OddRow(ValueError):
    """A row is none that the child has reason to write."""


def parse_rows(lines: Iterable[bytes]) -> Iterator[Row]:
    """Yield rows, for the functions below: each of them takes those on one pickle, to the row that ends them.

    Raises:
        OddRow: a line is no row.
    """
    for line in lines:
        try:
            row, end = _DECODER.raw_decode(line.decode("ascii"))
        except (ValueError, RecursionError) as error:  # no ASCII, bad JSON, giant numbers, deep nesting
            raise OddRow from error
        if line[end:] != b"\n" or type(row) is not list or not row or type(row[0]) is not str:
            raise OddRow
        yield row


def parse_contents(rows: Iterator[Row]) -> PickleContents | None:
    """Return what the rows on a torch pickle say, None if it was refused.

    Raises:
        OddRow: a row makes no sense, or the last one is missing.
    """
    tensors: list[PickledTensor] = []
    storages: list[PickledStorage] = []
    groups: list[ParamGroupEntry] = []
    slices: list[SliceMapping] = []
    shapes: list[ParamShape] = []
    numbers: dict[str, tuple[int, ...]] = {}
    for row in rows:
        match row:
            case ["tensor", name, key, dtype, shape, strides, offset]:
                view = take_numbers(shape), take_numbers(strides)
                tensors.append(
                    PickledTensor(
                        take_text(name), take_text(key), take_text(dtype), *view, take_number(offset)
                    )
                )
            case ["storage", key, dtype, n_elements]:
                storages.append(PickledStorage(take_text(key), take_text(dtype), take_number(n_elements)))
            case ["param", path, group, param, name]:
                who = take_text(param) if isinstance(param, str) else take_number(param)
                known = None if name is None else take_text(name)
                groups.append(ParamGroupEntry(take_text(path), take_number(group), who, known))
            case ["slice", path, group, name, start, size]:
                place = take_number(start), take_number(size)
                slices.append(SliceMapping(take_text(path), take_number(group), take_text(name), *place))
            case ["shape", path, group, name, shape]:
                shapes.append(
                    ParamShape(take_text(path), take_number(group), take_text(name), take_numbers(shape))
                )
            case ["numbers", path, values]:
                numbers[take_text(path)] = take_numbers(values, _MAX_NUMBERS)
            case ["end", n_bytes]:
                facts = PickleFacts(tuple(groups), tuple(slices), tuple(shapes), numbers)
                return PickleContents(tuple(tensors), tuple(storages), facts, take_number(n_bytes))
            case ["refused"]:
                return None
            case _:
                raise OddRow
    raise OddRow


def parse_legacy(rows: Iterator[Row]) -> LegacyContents | None:
    """Return what the rows on the pickles of a torch file of old say, None if they were refused.

    Raises:
        OddRow: a row makes no sense, or the last one is missing.
    """
    keys: list[str] = []
    machines: list[object] = []

    def set_apart() -> Iterator[Row]:
        for row in rows:
            match row:
                case ["key", key]:
                    keys.append(take_text(key))
                case ["machine", is_little_endian]:
                    machines.append(is_little_endian)
                case _:
                    yield row

    contents = parse_contents(set_apart())
    return None if contents is None else LegacyContents(contents, tuple(keys), machines == [True])


def parse_dcp_metadata(rows: Iterator[Row]) -> DcpMetadata | None:
    """Return what the rows on a `.metadata` file say, None if it was refused.

    Raises:
        OddRow: a row makes no sense, or the last one is missing.
    """
    items: list[DcpItem] = []
    tensors: dict[str, DcpTensor] = {}
    for row in rows:
        match row:
            case ["described", fqn, shape, n_fragments]:
                tensors[take_text(fqn)] = DcpTensor(take_numbers(shape), take_number(n_fragments))
            case ["item", *columns]:
                items.append(_parse_item(columns))
            case ["end", _]:
                return DcpMetadata(tuple(items), tensors)
            case ["refused"]:
                return None
            case _:
                raise OddRow
    raise OddRow


def take_number(value: object) -> int:
    """Return a number from 0 to 2^63 - 1.

    Raises:
        OddRow: it is none.
    """
    if type(value) is not int or not 0 <= value < _MAX_NUMBER:
        raise OddRow
    return value


def take_numbers(value: object, limit: int = MAX_RANK) -> tuple[int, ...]:
    """Return at most `limit` numbers.

    Raises:
        OddRow: they are more, or none.
    """
    if type(value) is not list or len(value) > limit:
        raise OddRow
    return tuple(map(take_number, value))


def take_text(value: object) -> str:
    """Return a text of moderate length that UTF-8 can spell.

    Raises:
        OddRow: it is none.
    """
    if type(value) is not str or len(value) > MAX_TEXT_CHARS:
        raise OddRow
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise OddRow from error
    return value


def _parse_item(columns: Row) -> DcpItem:
    match columns:
        case [fqn, offset, shape, dtype, file_name, begin, n_bytes, list(transforms)] if (
            len(transforms) <= 16
        ):
            return DcpItem(
                take_text(fqn),
                None if offset is None else take_numbers(offset),
                None if shape is None else take_numbers(shape),
                None if dtype is None else take_text(dtype),
                take_text(file_name),
                take_number(begin),
                take_number(n_bytes),
                tuple(map(take_text, transforms)),
            )
    raise OddRow
