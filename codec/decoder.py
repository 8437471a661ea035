"""From an archive to the bytes of its shard, in order: reading runs ahead of decoding, decoding ahead of the taker."""

from collections.abc import Generator, Iterator
from contextlib import closing

from weightzip.codec.background import map_in_order, run_ahead
from weightzip.codec.format.checksum import DigestBuilder
from weightzip.codec.reader import Archive
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData


def decode_shard(archive: Archive, *, n_threads: int = 0) -> Generator[BytesLike, None, None]:
    """Yield the shard's bytes frame by frame, each proven by its checksum; after the last, prove the digest.

    Memory: one frame being read, `archive.frames_at_once` being decoded, up to five waiting, one being taken.

    Raises:
        MissingPredecessor, WrongPredecessor: before the first frame where possible.
        CorruptData: the archive is damaged.
    """
    archive.check_references()
    digest = DigestBuilder(n_threads)
    with closing(run_ahead(_decode_frames(archive))) as frames:
        for raw in frames:
            digest.update(raw)
            yield raw
            del raw
    if digest.digest() != archive.index.file_digest:
        raise CorruptData(f"{archive.name}: the restored file does not have its recorded digest")


def _decode_frames(archive: Archive) -> Iterator[BytesLike]:
    def decode(frame: tuple[int, BytesLike]) -> BytesLike:
        return archive.decode_stored_frame(*frame)

    with (
        closing(run_ahead(_read_frames(archive))) as frames,
        closing(map_in_order(decode, frames, archive.frames_at_once)) as decoded,
    ):
        yield from decoded


def _read_frames(archive: Archive) -> Iterator[tuple[int, BytesLike]]:
    for number in range(len(archive.index.frames)):
        yield number, archive.read_stored_frame(number)
