"""weightzip in memory: planning, block coding and the checksum of every frame, as in an archive; no files, no digest."""

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.case import Case
from benchmarks.rival import Buffer, BufferRival
from weightzip.codec.backend import CpuBackend
from weightzip.codec.format.data_frame import Piece
from weightzip.codec.format.frame import FRAME_HEADER_BYTES
from weightzip.codec.format.header import Reference
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.frames import decode_frame, encode_frame
from weightzip.codec.predecessor import BoundPredecessor
from weightzip.codec.segments import PredecessorLayout, cut_layout
from weightzip.codec.source import MemorySource


class WeightzipFrames(BufferRival):
    """The frames of an archive, one thread."""

    name = "weightzip"

    def __init__(self) -> None:
        self._backend = CpuBackend(n_threads=1)

    def accepts(self, case: Case) -> bool:
        """Accept every case."""
        return True

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Return the frames, each after the room that its header takes in an archive."""
        return list(self._encode(memoryview(source), case))

    def _encode(self, source: memoryview, case: Case) -> Iterator[Buffer]:
        layout = Layout(ContainerKind.SAFETENSORS, len(source), case.tensors)
        predecessor = None
        if case.predecessor_raw is not None:
            tensors = {tensor.name: tensor for tensor in case.tensors}
            predecessor = PredecessorLayout(len(case.predecessor_raw), tensors)
        for span in cut_layout(layout, predecessor):
            leaned_on = _read_pieces(case.predecessor_raw, span.pieces)
            raw = source[span.offset : span.offset + span.n_bytes]
            yield bytes(FRAME_HEADER_BYTES)
            yield encode_frame(raw, leaned_on, span.pieces, span.dtype, self._backend).body

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Return the bytes of each frame, proven by its checksum."""
        predecessor = None
        if case.predecessor_raw is not None:
            digest = bytes(32)
            predecessor = BoundPredecessor(
                Reference(digest, len(case.predecessor_raw)), _InMemory(case.predecessor_raw, digest)
            )
        return [decode_frame(body, predecessor, self._backend, "frame").raw for body in encoded[1::2]]


class _InMemory(MemorySource):
    """A predecessor that is already in memory, with a digest nobody computed: digests are not measured here."""

    def __init__(self, data: bytes, digest: bytes) -> None:
        super().__init__(data)
        self.digest = digest
        self.tensors: Mapping[str, TensorRange] = {}


def _read_pieces(predecessor: bytes | None, pieces: tuple[Piece, ...]) -> Buffer | None:
    if predecessor is None or not pieces:
        return None
    parts = [memoryview(predecessor)[piece.offset : piece.offset + piece.n_bytes] for piece in pieces]
    return parts[0] if len(parts) == 1 else b"".join(parts)
