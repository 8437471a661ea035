"""The files that an archive names in its header, and what was given for them: found by digest, read by pieces."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from weightzip.codec.format.data_frame import OWN, Piece
from weightzip.codec.format.header import Header, Reference
from weightzip.codec.predecessor import Predecessor
from weightzip.codec.source import BytesLike, ByteSource
from weightzip.errors import CorruptData, MissingPredecessor, WrongPredecessor


class References:
    """What the frames of one archive may lean on: the header's references, and perhaps the shard itself.

    `given` are the files at hand, in any order; what an archive does not name may be among them. `own` gives the
    bytes of the shard itself; None if the header does not announce that they are needed.
    """

    def __init__(self, header: Header, given: Sequence[Predecessor], own: ByteSource | None) -> None:
        self._references = header.references
        self._given = given
        self._own = own
        self.file_bytes: Mapping[int, int] = {
            number: reference.file_bytes for number, reference in enumerate(header.references)
        }
        if own is not None:
            self.file_bytes = {**self.file_bytes, OWN: own.size_bytes}

    def read_pieces(self, pieces: tuple[Piece, ...], place: str) -> BytesLike:
        """Return the bytes of the pieces, concatenated. Raises as require does."""
        return read_pieces({piece.reference: self._find(piece.reference, place) for piece in pieces}, pieces)

    def require(self, numbers: Sequence[int], place: str) -> None:
        """Prove that a file is there for each of these references, by size and, among several, by digest.

        A digest costs reading a raw file whole, and every frame has a checksum of the bytes it leans on: that of the
        only file of the right size is not asked for.

        Raises:
            MissingPredecessor, WrongPredecessor: nothing was given for one of them, or only other files.
        """
        missing = [self._references[number] for number in numbers if number not in self._bound]
        if not missing:
            return
        wanted = " and ".join(map(_describe, missing))
        bound = list(self._bound.values())
        others = [file for file in self._given if file not in bound]
        if not others:
            raise MissingPredecessor(f"{place}: leans on what was not given, {wanted}")
        found = " and ".join(_describe(Reference(file.digest, file.size_bytes)) for file in others)
        raise WrongPredecessor(f"{place}: leans on {wanted}; what was given is {found}")

    def explain_mismatch(self, pieces: tuple[Piece, ...], place: str) -> WrongPredecessor | CorruptData:
        """Return the error for bytes that are not those the archive was made against; names the digests."""
        for number in sorted({piece.reference for piece in pieces} - {OWN}):
            file, reference = self._bound.get(number), self._references[number]
            if file is not None and file.digest != reference.digest:
                found = _describe(Reference(file.digest, file.size_bytes))
                return WrongPredecessor(
                    f"{place}: leans on {_describe(reference)}; what was given is {found}"
                )
        return CorruptData(f"{place}: the checksum of the bytes it leans on is damaged")

    def _find(self, number: int, place: str) -> ByteSource:
        if number == OWN and self._own is not None:
            return self._own
        self.require([number], place)
        return self._bound[number]

    @cached_property
    def _bound(self) -> Mapping[int, Predecessor]:
        """Return the file for each reference that has one."""
        bound: dict[int, Predecessor] = {}
        for number, reference in enumerate(self._references):
            fitting = [file for file in self._given if file.size_bytes == reference.file_bytes]
            alike = [other for other in self._references if other.file_bytes == reference.file_bytes]
            if len(fitting) != 1 or len(alike) != 1:
                fitting = [file for file in fitting if file.digest == reference.digest]
            if fitting:
                bound[number] = fitting[0]
        return bound


def read_pieces(files: Mapping[int, ByteSource], pieces: tuple[Piece, ...]) -> BytesLike:
    """Return the bytes of the pieces, concatenated, out of files by reference."""
    if len(pieces) == 1:
        return files[pieces[0].reference].read_at(pieces[0].offset, pieces[0].n_bytes)
    return b"".join(files[piece.reference].read_at(piece.offset, piece.n_bytes) for piece in pieces)


def _describe(reference: Reference) -> str:
    return f"the file with digest {reference.digest.hex()} ({reference.file_bytes} bytes)"
