"""A whole archive in memory (docs/format.md, "Archive"): walked front to back, then decoded frame by frame."""

from collections.abc import Mapping
from dataclasses import dataclass

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.footer import FOOTER_BYTES, decode_footer
from weightzip.codec.format.frame import (
    FRAME_HEADER_BYTES,
    FrameKind,
    check_frame_body,
    decode_frame_header,
)
from weightzip.codec.reference.arrangement import Run, check_windows, place_frames
from weightzip.codec.reference.data_frame import OWN, OWN_BIT, DataFrame, Method, read_data_frame
from weightzip.codec.reference.header import ArchiveHeader, read_header
from weightzip.codec.reference.index import ArchiveIndex, FrameRow, read_index
from weightzip.codec.reference.inputs import InputFiles, compute_digest
from weightzip.codec.reference.restore import restore_frame
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData

NO_INPUTS: Mapping[bytes, BytesLike] = {}


@dataclass(frozen=True)
class _Frame:
    """A data frame, and what the index must say of it."""

    frame: DataFrame
    row: FrameRow

    @property
    def leans_on_own_bytes(self) -> bool:
        return bool(self.row.leans_on >> OWN_BIT)


def decode_archive(archive: BytesLike, inputs: Mapping[bytes, BytesLike] = NO_INPUTS) -> bytes:
    """Return the bytes of the shard in an archive. `inputs` holds the files it leans on, by digest.

    Raises:
        CorruptData, UnsupportedVersion: the archive contradicts the document, or is of a later version.
        MissingPredecessor, WrongPredecessor: a file that a frame leans on is not there, or is another one.
    """
    place = "archive"
    cursor = Cursor(archive, place)
    header = read_header(cursor, archive)
    frames, index = _walk(cursor, header)
    placed = place_frames(index.runs, [entry.frame.raw_bytes for entry in frames])
    check_windows(cursor, placed)
    _check_own_pieces(cursor, frames, placed, index.file_bytes)
    shard = bytearray(index.file_bytes)
    files = InputFiles(header, inputs, shard)
    # What others of this archive may lean on comes first.
    for entry, runs in sorted(zip(frames, placed, strict=True), key=lambda pair: pair[0].leans_on_own_bytes):
        frame = entry.frame
        frame_place = f"{place}: frame at {entry.row.archive_offset}"
        predecessor = files.gather(frame.predecessor, frame_place)
        companion = files.gather(frame.companion, frame_place)
        raw = restore_frame(frame, predecessor, companion, frame_place)
        for first, offset, n_bytes in runs:
            shard[offset : offset + n_bytes] = raw[first : first + n_bytes]
    if compute_digest(shard) != index.file_digest:
        raise CorruptData(f"{place}: the restored file does not have its recorded digest")
    return bytes(shard)


def _walk(cursor: Cursor, header: ArchiveHeader) -> tuple[list[_Frame], ArchiveIndex]:
    """Return all frames and the index, compared with each other, from where the header ends to the end."""
    frames: list[_Frame] = []
    raw_offset = 0
    while True:
        begin = cursor.position
        place = f"{cursor.place}: frame at {begin}"
        head = decode_frame_header(cursor.take(FRAME_HEADER_BYTES, "frame header"), place)
        body = cursor.take(head.body_bytes, "body")
        check_frame_body(head, body, place)
        if head.kind == FrameKind.INDEX:
            break
        frame = read_data_frame(body, header, place)
        transform = bytes(frame.rest[1:2]) if frame.method == Method.BLOCKS else b""
        row = FrameRow(
            begin,
            cursor.position - begin,
            frame.raw_bytes,
            frame.method,
            int.from_bytes(transform, "little"),
            frame.leans_on,
        )
        frames.append(_Frame(frame, row))
        raw_offset += frame.raw_bytes
    index = read_index(body, f"{cursor.place}: index")
    cursor.expect(index.frames == tuple(entry.row for entry in frames), "index and frames differ")
    cursor.expect(index.file_bytes == raw_offset, "the frames do not sum to the file's size")
    footer = cursor.take(FOOTER_BYTES, "footer")
    cursor.expect(decode_footer(footer, cursor.place) == begin, "the footer points elsewhere")
    cursor.finish("the footer")
    cursor.expect(
        index.is_arranged == header.is_arranged, "header and index differ on whether there are runs"
    )
    return frames, index


def _check_own_pieces(cursor: Cursor, frames: list[_Frame], placed: list[list[Run]], file_bytes: int) -> None:
    """Check that pieces of the shard itself lie in it, in frames that lean on nothing of it themselves."""
    leaning = [entry for entry in frames if entry.leans_on_own_bytes]
    unfit = [
        run for entry, runs in zip(frames, placed, strict=True) if entry.leans_on_own_bytes for run in runs
    ]
    for entry in leaning:
        inputs = [given for given in (entry.frame.predecessor, entry.frame.companion) if given is not None]
        for piece in (piece for given in inputs for piece in given.pieces if piece.reference == OWN):
            end = piece.offset + piece.n_bytes
            cursor.expect(end <= file_bytes, "a piece reaches beyond the shard")
            cursor.expect(
                all(end <= run.offset or piece.offset >= run.offset + run.n_bytes for run in unfit),
                "a piece of the shard lies in a frame that leans on the shard itself",
            )
