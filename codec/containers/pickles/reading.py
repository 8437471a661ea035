"""Reads pickles without running them: the questions that readers of containers ask."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TypeVar

from weightzip.codec.containers.pickles.contents import DcpMetadata, LegacyContents, PickleContents
from weightzip.codec.containers.pickles.process import ChildFailed, ask_child
from weightzip.codec.containers.pickles.rows import (
    OddRow,
    Row,
    parse_contents,
    parse_dcp_metadata,
    parse_legacy,
    parse_rows,
)
from weightzip.codec.source import BytesLike

MAX_PICKLE_BYTES = 128 << 20
"""The most that a pickle may have."""

_Contents = TypeVar("_Contents")


def read_pickles(pickles: Sequence[BytesLike]) -> list[PickleContents | None]:
    """Return the contents of torch pickles, None for each that is anything but harmless and of moderate size.

    One child process reads all of them, none of more than MAX_PICKLE_BYTES. Bytes after a pickle are ignored.
    """
    return _ask(b"t", pickles, parse_contents)


def read_legacy_pickles(front: BytesLike) -> LegacyContents | None:
    """Return the contents of the pickles that a torch file of old begins with, None if they do not end within `front`."""
    return _ask(b"l", [front], parse_legacy)[0]


def read_dcp_metadata(pickle: BytesLike) -> DcpMetadata | None:
    """Return the contents of a DCP `.metadata` file, None if it is anything but that."""
    return _ask(b"d", [pickle], parse_dcp_metadata)[0]


def _ask(
    kind: bytes, pickles: Sequence[BytesLike], parse: Callable[[Iterator[Row]], _Contents | None]
) -> list[_Contents | None]:
    refused: list[_Contents | None] = [None for _ in pickles]
    if not pickles or max(map(len, pickles)) > MAX_PICKLE_BYTES:
        return refused
    try:
        with closing(ask_child([(kind, pickle) for pickle in pickles])) as lines:
            rows = parse_rows(lines)
            answers = [parse(rows) for _ in pickles]
            return answers if next(rows, None) is None else refused
    except (ChildFailed, OddRow):
        return refused
