"""Files that an archive names are found among those given, by size and digest; what is missing or wrong is named."""

import pytest

from shards.archives import MemoryPredecessor
from shards.sources import CountingSource
from weightzip.codec.format.data_frame import OWN, Piece
from weightzip.codec.format.header import Header, Reference
from weightzip.codec.references import References
from weightzip.codec.source import MemorySource
from weightzip.errors import CorruptData, MissingPredecessor, WrongPredecessor

FIRST, TWIN, OTHER = (MemoryPredecessor(data) for data in (b"0123456789", b"abcdefghij", b"xyz"))


class UnreadPredecessor(MemoryPredecessor):
    """A predecessor whose digest nobody may ask for."""

    @property
    def digest(self) -> bytes:
        raise AssertionError

    @digest.setter
    def digest(self, value: bytes) -> None:
        pass


def _name(*files: MemoryPredecessor) -> Header:
    return Header(tuple(Reference(file.digest, file.size_bytes) for file in files))


def test_pieces_of_several_files_and_of_the_shard_are_joined() -> None:
    references = References(_name(FIRST, OTHER), [OTHER, FIRST], own=MemorySource(b"OWN"))
    pieces = (Piece(2, 3, 0), Piece(0, 1, OWN), Piece(1, 2, 1))
    assert references.read_pieces(pieces, "x") == b"234Oyz"
    assert references.file_bytes == {0: 10, 1: 3, OWN: 3}


@pytest.mark.parametrize("given", [[FIRST, TWIN], [TWIN, FIRST]])
def test_files_of_one_size_are_told_apart_by_digest(given: list[MemoryPredecessor]) -> None:
    references = References(_name(TWIN, FIRST), given, own=None)
    assert references.read_pieces((Piece(0, 1, 0), Piece(0, 1, 1)), "x") == b"a0"


def test_the_only_file_of_a_size_is_believed() -> None:
    """Asking for its digest would read it whole; each frame has a checksum of what it leans on."""
    references = References(_name(FIRST), [UnreadPredecessor(b"0123456789"), OTHER], own=None)
    assert references.read_pieces((Piece(4, 2, 0),), "x") == b"45"


def test_what_is_missing_is_named() -> None:
    references = References(_name(FIRST, OTHER, TWIN), [OTHER], own=None)
    references.require([1], "x")
    with pytest.raises(MissingPredecessor, match=f"{FIRST.digest.hex()}.* and .*{TWIN.digest.hex()}"):
        references.require([0, 1, 2], "x")
    with pytest.raises(MissingPredecessor, match=TWIN.digest.hex()):
        references.read_pieces((Piece(0, 1, 2),), "x")


def test_what_was_given_instead_is_named() -> None:
    references = References(_name(FIRST), [OTHER], own=None)
    with pytest.raises(WrongPredecessor, match=f"{FIRST.digest.hex()}.*{OTHER.digest.hex()}"):
        references.require([0], "x")


def test_another_file_of_the_same_size_is_blamed_for_a_mismatch() -> None:
    pieces = (Piece(0, 1, OWN), Piece(0, 1, 1), Piece(0, 1, 0))
    header = _name(FIRST, OTHER)
    right = References(header, [FIRST, OTHER], own=MemorySource(b"OWN"))
    assert isinstance(right.explain_mismatch(pieces, "x"), CorruptData)
    wrong = References(header, [TWIN, OTHER], own=MemorySource(b"OWN")).explain_mismatch(pieces, "x")
    assert isinstance(wrong, WrongPredecessor)
    assert FIRST.digest.hex() in str(wrong)
    assert TWIN.digest.hex() in str(wrong)


def test_a_run_of_one_piece_is_one_read() -> None:
    theirs = CountingSource(b"0123456789")
    file = MemoryPredecessor(b"0123456789")
    file.read_at = theirs.read_at  # type: ignore[method-assign]
    References(_name(FIRST), [file], own=None).read_pieces((Piece(3, 4),), "x")
    assert theirs.reads == [(3, 4)]
