"""weightzip in memory: planning, block coding and the checksum of every frame, as in an archive; no files, no digest."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from benchmarks.case import Case
from benchmarks.rival import Buffer, BufferRival
from benchmarks.rivals.names import OUR_LEVELS, OURS
from weightzip.codec.backend import CpuBackend
from weightzip.codec.background import map_in_order
from weightzip.codec.encoder import LoadedSpan, load_spans
from weightzip.codec.format.frame import FRAME_HEADER_BYTES
from weightzip.codec.format.header import Header, Reference
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.frames import EncodedFrame, decode_frame, encode_frame
from weightzip.codec.joining.join import join_shard
from weightzip.codec.recipes.level import Level
from weightzip.codec.references import References
from weightzip.codec.source import MemorySource, allocate

T = TypeVar("T")
R = TypeVar("R")


class WeightzipFrames(BufferRival):
    """The frames of an archive, at the level that the name says, on one or two threads."""

    def __init__(self, name: str = OURS, n_threads: int = 1) -> None:
        self.name = name
        self.n_threads = n_threads
        self._level = OUR_LEVELS.get(name, Level.DEFAULT)
        self._backend = CpuBackend(n_threads)

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Return the frames in their parts, each after the room that its header takes in an archive."""
        file = MemorySource(source)
        layout = Layout(ContainerKind.SAFETENSORS, len(source), case.tensors)
        spans = load_spans(file, join_shard(file, layout, _open_predecessor(case)))
        return [part for frame in self._map(self._encode_span, spans) for part in (_HEADER, *frame.parts)]

    def store(self, encoded: Sequence[Buffer]) -> Sequence[Buffer]:
        """Return headers and bodies in turn: the parts of a body are one piece in an archive."""
        stored: list[bytearray] = []
        for part in encoded:
            if part is _HEADER:
                stored += [bytearray(part), bytearray()]
            else:
                stored[-1] += part
        return stored

    def decode(self, stored: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Return the bytes of all frames in one piece, each proven by its checksum, as `Archive.read_range` does.

        What frames lean on is already in memory.
        """
        given = _open_predecessor(case)
        known = (Reference(given.digest, given.size_bytes),) if given is not None else ()
        header = Header(known, leans_on_itself=True)
        references = References(header, [given] if given is not None else [], own=MemorySource(case.raw))

        raw = allocate(len(case.raw))

        def decode(item: tuple[Buffer, memoryview]) -> None:
            body, out = item
            decode_frame(body, references, self._backend, "frame", out=out)

        for _ in self._map(decode, _share_out(stored[1::2], raw)):
            pass
        return [raw]

    def _encode_span(self, loaded: LoadedSpan) -> EncodedFrame:
        return encode_frame(
            loaded.raw,
            loaded.predecessor,
            loaded.companion,
            loaded.span.dtype,
            self._backend,
            level=self._level,
            sections=loaded.span.sections,
        )

    def _map(self, work: Callable[[T], R], items: Iterable[T]) -> Iterable[R]:
        return map_in_order(work, items, self._backend.frames_at_once)


def _share_out(bodies: Iterable[Buffer], raw: memoryview) -> Iterator[tuple[Buffer, memoryview]]:
    """Yield each body with the place of its bytes. An archive has their lengths in its index, a body in a field."""
    begin = 0
    for body in bodies:
        end = begin + int.from_bytes(body[8:12], "little")
        yield body, raw[begin:end]
        begin = end


_HEADER = bytes(FRAME_HEADER_BYTES)


class _InMemory(MemorySource):
    """A predecessor that is already in memory, with a digest nobody computed: digests are not measured here."""

    def __init__(self, data: bytes, tensors: tuple[TensorRange, ...]) -> None:
        super().__init__(data)
        self.digest = bytes(32)
        self.tensors: Mapping[str, TensorRange] = {tensor.name: tensor for tensor in tensors}


def _open_predecessor(case: Case) -> _InMemory | None:
    """Return the predecessor of a case; its tensors lie where the case's own do."""
    return None if case.predecessor_raw is None else _InMemory(case.predecessor_raw, case.tensors)
