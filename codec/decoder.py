"""From an archive to the bytes of its shard, in order: reading runs ahead of decoding, decoding ahead of the taker."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise

from weightzip.codec.background import map_in_order, run_ahead
from weightzip.codec.format.checksum import DigestBuilder
from weightzip.codec.placement import FramePart, copy_parts, locate_frames
from weightzip.codec.reader import Archive
from weightzip.codec.source import BytesLike, allocate
from weightzip.errors import CorruptData


@dataclass(frozen=True)
class _Window:
    """Bytes of the shard from `offset` on that frames hold in another order."""

    offset: int
    out: memoryview


@dataclass(frozen=True)
class _StoredFrame:
    """A frame to decode. With a window, `parts` tell where its bytes go, and the window is complete after `is_last`."""

    number: int
    stored: BytesLike
    window: _Window | None = None
    parts: tuple[FramePart, ...] = ()
    is_last: bool = False


def decode_shard(archive: Archive, *, n_threads: int = 0) -> Generator[BytesLike, None, None]:
    """Yield the shard's bytes in order, by frames or windows, each proven by checksums; after the last, prove the digest.

    Memory: one frame being read, `archive.frames_at_once` being decoded, up to five waiting, one being taken, and the
    windows that these are of.

    Raises:
        MissingPredecessor, WrongPredecessor: before the first frame where possible.
        CorruptData: the archive is damaged.
    """
    archive.check_references()
    digest = DigestBuilder(n_threads)
    with closing(run_ahead(_decode_frames(archive))) as decoded:
        for raw in decoded:
            digest.update(raw)
            yield raw
            del raw
    if digest.digest() != archive.index.file_digest:
        raise CorruptData(f"{archive.name}: the restored file does not have its recorded digest")


def _decode_frames(archive: Archive) -> Iterator[BytesLike]:
    def decode(frame: _StoredFrame) -> BytesLike | None:
        if frame.window is None:
            return archive.decode_stored_frame(frame.number, frame.stored)
        return _decode_into_window(archive, frame, frame.window)

    with (
        closing(run_ahead(_read_frames(archive))) as frames,
        closing(map_in_order(decode, frames, archive.frames_at_once)) as decoded,
    ):
        for raw in decoded:
            if raw is not None:
                yield raw
            del raw


def _decode_into_window(archive: Archive, frame: _StoredFrame, window: _Window) -> BytesLike | None:
    """Put a frame's bytes where they belong; return the window's bytes with its last frame.

    Results are taken in order: by then the frames before it are there.
    """
    target: memoryview | None = None
    if len(frame.parts) == 1:
        begin = frame.parts[0].offset - window.offset
        target = window.out[begin : begin + frame.parts[0].n_bytes]
    raw = archive.decode_stored_frame(frame.number, frame.stored, target)
    if raw is not target:
        copy_parts(raw, frame.parts, window.out, window.offset)
    return window.out if frame.is_last else None


def _read_frames(archive: Archive) -> Iterator[_StoredFrame]:
    index = archive.index
    if len(index.arrangement) == 0:
        for number in range(len(index.frames)):
            yield _StoredFrame(number, archive.read_stored_frame(number))
        return
    parts = locate_frames(index)
    for first, after_last in pairwise(index.arrangement.find_windows(index.frames).tolist()):
        begin, end = index.frames.raw_offset[[first, after_last]].tolist()
        # One frame with one part is in order as it is.
        window = (
            _Window(begin, allocate(end - begin)) if after_last > first + 1 or len(parts(first)) > 1 else None
        )
        for number in range(first, after_last):
            stored = archive.read_stored_frame(number)
            yield _StoredFrame(number, stored, window, parts(number), number == after_last - 1)
        del window
