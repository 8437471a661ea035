"""The bytes that frames lean on: pieces of other files, and of the shard itself."""

from collections.abc import Mapping
from dataclasses import dataclass

from weightzip.codec.format.checksum import DigestBuilder, compute_checksum
from weightzip.codec.reference.data_frame import OWN, FrameInput
from weightzip.codec.reference.header import ArchiveHeader
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData, MissingPredecessor, WrongPredecessor


def compute_digest(data: BytesLike) -> bytes:
    """Return the BLAKE3 digest of data."""
    builder = DigestBuilder(n_threads=1)
    builder.update(data)
    return builder.digest()


@dataclass(frozen=True)
class InputFiles:
    """What there is to lean on. `own` is the shard as far as it is restored."""

    header: ArchiveHeader
    files: Mapping[bytes, BytesLike]
    own: bytearray

    def gather(self, given: FrameInput | None, place: str) -> bytes | None:
        """Return the bytes of an input, proven by its checksum; None if there is no such input."""
        if given is None:
            return None
        gathered = b"".join(
            self._find(piece.reference, place)[piece.offset : piece.offset + piece.n_bytes]
            for piece in given.pieces
        )
        if compute_checksum(gathered) != given.checksum:
            self._check_digests(given, place)
            raise CorruptData(f"{place}: the checksum of an input is damaged")
        return gathered

    def _find(self, number: int, place: str) -> BytesLike:
        if number == OWN:
            return self.own
        reference = self.header.references[number]
        file = self.files.get(reference.digest)
        if file is None:
            raise MissingPredecessor(f"{place}: the file {reference.digest.hex()} was not given")
        if len(file) != reference.file_bytes:
            raise WrongPredecessor(f"{place}: what was given as {reference.digest.hex()} has another size")
        return file

    def _check_digests(self, given: FrameInput, place: str) -> None:
        for number in {piece.reference for piece in given.pieces} - {OWN}:
            digest = self.header.references[number].digest
            if compute_digest(self._find(number, place)) != digest:
                raise WrongPredecessor(f"{place}: what was given as {digest.hex()} is another file")
