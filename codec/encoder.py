"""From a shard to its frames: reading runs ahead of encoding, encoding ahead of whoever takes the frames."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

from weightzip.codec.backend import BlockBackend
from weightzip.codec.background import map_in_order, run_ahead
from weightzip.codec.compare import are_equal
from weightzip.codec.cutting.segments import FrameSpan, Run
from weightzip.codec.derivation import Derivation, find_derivation
from weightzip.codec.format.data_frame import Piece
from weightzip.codec.frames import EncodedFrame, InputBytes, decode_frame, encode_frame
from weightzip.codec.joining.join import Join
from weightzip.codec.recipes.level import Level
from weightzip.codec.references import read_pieces
from weightzip.codec.source import BytesLike, ByteSource
from weightzip.errors import CorruptData, VerificationFailed


@dataclass(frozen=True)
class LoadedSpan:
    """What becomes one frame: its bytes, and those that it may lean on.

    `passed` are the bytes of the shard, in its order, that were read for it: its own, or a window's if it is the
    first of those that gather from there, or none. `derivation` is how its bytes follow from the companion.
    """

    span: FrameSpan
    raw: BytesLike
    passed: BytesLike
    predecessor: InputBytes | None = None
    companion: InputBytes | None = None
    derivation: Derivation | None = None


@dataclass(frozen=True)
class _HeldInputs:
    """The files to lean on as the proof of one frame sees them: exactly the bytes that were encoded against."""

    file_bytes: Mapping[int, int]
    inputs: Mapping[tuple[Piece, ...], BytesLike]

    def read_pieces(self, pieces: tuple[Piece, ...], place: str) -> BytesLike:
        if pieces not in self.inputs:
            raise CorruptData(f"{place}: it leans on other bytes than it was encoded against")
        return self.inputs[pieces]

    def explain_mismatch(self, pieces: tuple[Piece, ...], place: str) -> CorruptData:
        return CorruptData(f"{place}: the bytes that it leans on changed in memory")


def encode_shard(
    source: ByteSource,
    join: Join,
    backend: BlockBackend,
    *,
    level: Level = Level.DEFAULT,
    verify: bool,
    name: str,
) -> Generator[tuple[BytesLike, EncodedFrame], None, None]:
    """Yield (bytes, frame) for every frame of the shard. `join` is what join_shard says of it.

    The bytes, one after another, are the shard: those of a frame, or of a window with the first frame that gathers
    from it.

    Memory: one frame or window being read, `backend.frames_at_once` being encoded (up to 8 MiB of raw bytes each, as much or
    twice as much of each input, and up to twice that for the encoded form), five waiting, one being taken. With
    `verify` each frame is decoded and compared before it is yielded.

    Raises:
        VerificationFailed: a frame does not decode to its bytes.
    """
    file_bytes = join.file_bytes

    def encode(item: LoadedSpan) -> tuple[BytesLike, EncodedFrame]:
        span = item.span
        frame = encode_frame(
            item.raw,
            item.predecessor,
            item.companion,
            span.dtype,
            backend,
            sections=span.sections,
            derivation=item.derivation,
            level=level,
        )
        if verify:
            given = [one for one in (item.predecessor, item.companion) if one is not None]
            held = _HeldInputs(file_bytes, {one.pieces: one.data for one in given})
            place = f"{name}: the frame of {span.n_bytes} bytes from {span.offset} on"
            _prove_frame(frame, item.raw, held, backend, place)
        return item.passed, frame

    def encode_all() -> Iterator[tuple[BytesLike, EncodedFrame]]:
        with (
            closing(run_ahead(load_spans(source, join))) as loaded,
            closing(map_in_order(encode, loaded, backend.frames_at_once)) as encoded,
        ):
            yield from encoded

    return run_ahead(encode_all())


def load_spans(source: ByteSource, join: Join) -> Iterator[LoadedSpan]:
    """Yield the spans of a shard, in order, with the bytes that they may lean on. Each byte is read once."""
    window: Run | None = None
    held: BytesLike = b""  # the bytes of the window
    for span in join.spans:
        passed: BytesLike = b""
        if span.window is None or span.window != window:
            window = span.window
            passed = source.read_at(*(window or span.runs[0]))
            held = passed if window is not None else b""
        raw = passed if window is None else _gather(held, window, span.runs)
        yield _load_span(span, raw, passed, join.files)
        del passed, raw  # or they would live on while the next ones are read


def _gather(held: BytesLike, window: Run, runs: tuple[Run, ...]) -> BytesLike:
    """Return the bytes of runs, one after another, out of the bytes of a window."""
    view = memoryview(held)
    parts = [view[offset - window.offset :][:n_bytes] for offset, n_bytes in runs]
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _load_span(
    span: FrameSpan, raw: BytesLike, passed: BytesLike, files: Mapping[int, ByteSource]
) -> LoadedSpan:
    """Read a span's inputs, the best first: what alone gives all bytes makes the others needless."""
    copy = _load_input(span.copy, files)
    if copy is not None and are_equal(raw, copy.data):
        return LoadedSpan(span, raw, passed, predecessor=copy)
    companion = _load_input(span.companion, files)
    derivation = find_derivation(raw, companion.data) if companion is not None else None
    if derivation is not None:
        return LoadedSpan(span, raw, passed, companion=companion, derivation=derivation)
    return LoadedSpan(span, raw, passed, _load_input(span.predecessor, files), companion)


def _load_input(pieces: tuple[Piece, ...], files: Mapping[int, ByteSource]) -> InputBytes | None:
    return InputBytes(pieces, read_pieces(files, pieces)) if pieces else None


def _prove_frame(
    frame: EncodedFrame, raw: BytesLike, held: _HeldInputs, backend: BlockBackend, place: str
) -> None:
    try:
        decoded = decode_frame(b"".join(frame.parts), held, backend, place)
    except CorruptData as error:
        raise VerificationFailed(f"{place}: what was just encoded does not decode ({error})") from error
    if decoded.facts != frame.facts or not are_equal(decoded.raw, raw):
        raise VerificationFailed(f"{place}: what was just encoded decodes to other bytes")
