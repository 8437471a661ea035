"""weightzip in memory: planning, block coding and the checksum of every frame, as in an archive; no files, no digest."""

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.case import Case
from benchmarks.rival import Buffer, BufferRival
from weightzip.codec.backend import CpuBackend
from weightzip.codec.encoder import load_spans
from weightzip.codec.format.frame import FRAME_HEADER_BYTES
from weightzip.codec.format.header import Header, Reference
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.frames import decode_frame, encode_frame
from weightzip.codec.join import join_shard
from weightzip.codec.references import References
from weightzip.codec.source import MemorySource


class WeightzipFrames(BufferRival):
    """The frames of an archive, one thread."""

    name = "weightzip"

    def __init__(self) -> None:
        self._backend = CpuBackend(n_threads=1)

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Return the frames, each after the room that its header takes in an archive."""
        return list(self._encode(source, case))

    def _encode(self, source: bytearray, case: Case) -> Iterator[Buffer]:
        file = MemorySource(source)
        layout = Layout(ContainerKind.SAFETENSORS, len(source), case.tensors)
        for loaded in load_spans(file, join_shard(file, layout, _open_predecessor(case))):
            span = loaded.span
            yield bytes(FRAME_HEADER_BYTES)
            yield encode_frame(
                loaded.raw,
                loaded.predecessor,
                loaded.companion,
                span.dtype,
                self._backend,
                sections=span.sections,
            ).body

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Return the bytes of each frame, proven by its checksum."""
        given = _open_predecessor(case)
        references = None
        if given is not None:
            header = Header((Reference(given.digest, given.size_bytes),))
            references = References(header, [given], own=None)
        return [decode_frame(body, references, self._backend, "frame").raw for body in encoded[1::2]]


class _InMemory(MemorySource):
    """A predecessor that is already in memory, with a digest nobody computed: digests are not measured here."""

    def __init__(self, data: bytes, tensors: tuple[TensorRange, ...]) -> None:
        super().__init__(data)
        self.digest = bytes(32)
        self.tensors: Mapping[str, TensorRange] = {tensor.name: tensor for tensor in tensors}


def _open_predecessor(case: Case) -> _InMemory | None:
    """Return the predecessor of a case; its tensors lie where the case's own do."""
    return None if case.predecessor_raw is None else _InMemory(case.predecessor_raw, case.tensors)
