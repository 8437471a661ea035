"""Joins a shard to the files that it may lean on: what must be known before the first byte of an archive is written."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from weightzip.codec.cutting.packing import cut_layout
from weightzip.codec.cutting.segments import FrameSpan, GlueSource
from weightzip.codec.format.arrangement import Arrangement, build_arrangement
from weightzip.codec.format.data_frame import OWN, Piece
from weightzip.codec.format.header import Header, Reference
from weightzip.codec.format.layout import Layout
from weightzip.codec.format.limits import MAX_REFERENCES
from weightzip.codec.joining.moved import FindMoved, find_nothing, list_earlier_files
from weightzip.codec.joining.pairing import pair_tensors
from weightzip.codec.joining.probe import File
from weightzip.codec.predecessor import Predecessor
from weightzip.codec.source import ByteSource

# While it is open which files get a reference, they have numbers that no reference has.
_FIRST_NUMBER = OWN + 1


@dataclass(frozen=True)
class Join:
    """A shard cut into spans, and the files that these may lean on, by reference; OWN is the shard itself."""

    layout: Layout
    arrangement: Arrangement
    spans: tuple[FrameSpan, ...]
    header: Header
    files: Mapping[int, ByteSource]

    @property
    def file_bytes(self) -> Mapping[int, int]:
        """Return the sizes of the files, by reference."""
        return {number: file.size_bytes for number, file in self.files.items()}


def join_shard(
    source: ByteSource,
    layout: Layout,
    predecessor: Predecessor | None = None,
    beside: Sequence[Predecessor] = (),
    find_moved: FindMoved = find_nothing,
) -> Join:
    """Cut a shard into spans and find what each may lean on.

    `predecessor` is an earlier version of the shard, `beside` are files that were saved with it, `find_moved` tells where
    else tensors lay that the predecessor lacks. The header names only those that a span may lean on. Reads some KB of
    each tensor whose bytes may agree with others, and what the digests of the files that are named take.
    """
    earlier = list_earlier_files(layout.tensors, predecessor, find_moved)
    given = [*earlier, *beside]
    files = [File(number, file, file.tensors) for number, file in enumerate(given, _FIRST_NUMBER)]
    inputs = pair_tensors(source, layout, files[: len(earlier)], files[len(earlier) :])
    glue = GlueSource(files[0].reference, files[0].source.size_bytes) if earlier else None
    spans = tuple(cut_layout(layout, inputs, glue))
    named = _choose_files(spans, dict(enumerate(given, _FIRST_NUMBER)))
    by_digest: dict[bytes, Predecessor] = {}
    for file in named.values():
        by_digest.setdefault(file.digest, file)
    references = {digest: number for number, digest in enumerate(by_digest)}
    numbers = {number: references[file.digest] for number, file in named.items()} | {OWN: OWN}
    spans = tuple(_renumber(span, numbers) for span in spans)
    arrangement = build_arrangement(run for span in spans for run in span.runs)
    header = Header(
        tuple(Reference(digest, file.size_bytes) for digest, file in by_digest.items()),
        leans_on_itself=any(piece.reference == OWN for span in spans for piece in _list_pieces(span)),
        is_arranged=len(arrangement) > 0,
    )
    return Join(layout, arrangement, spans, header, {**dict(enumerate(by_digest.values())), OWN: source})


def _choose_files(spans: Sequence[FrameSpan], files: Mapping[int, Predecessor]) -> Mapping[int, Predecessor]:
    """Return the files that spans lean on; of too many, those with the most bytes that are leaned on."""
    n_bytes: Counter[int] = Counter()
    for piece in chain.from_iterable(map(_list_pieces, spans)):
        n_bytes[piece.reference] += piece.n_bytes
    del n_bytes[OWN]
    chosen = sorted(number for number, _ in n_bytes.most_common(MAX_REFERENCES))
    return {number: files[number] for number in chosen}


def _list_pieces(span: FrameSpan) -> tuple[Piece, ...]:
    return (*span.predecessor, *span.companion, *span.copy)


def _renumber(span: FrameSpan, numbers: Mapping[int, int]) -> FrameSpan:
    """Return the span with its pieces' final references, without the inputs that have pieces of other files."""
    if not _list_pieces(span):
        return span
    return replace(
        span,
        predecessor=_renumber_pieces(span.predecessor, numbers),
        companion=_renumber_pieces(span.companion, numbers),
        copy=_renumber_pieces(span.copy, numbers),
    )


def _renumber_pieces(pieces: tuple[Piece, ...], numbers: Mapping[int, int]) -> tuple[Piece, ...]:
    if any(piece.reference not in numbers for piece in pieces):
        return ()
    return tuple(replace(piece, reference=numbers[piece.reference]) for piece in pieces)
