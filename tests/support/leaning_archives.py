"""Archives written by hand that lean on other files and on themselves: sound ones, and ones that break one rule each."""

from dataclasses import dataclass, replace

import numpy as np

from support.handmade_archives import (
    BLOCKS,
    CONSTANT,
    DERIVED,
    IDENTICAL,
    LEANS_ON_ITSELF,
    OWN,
    STORED,
    HandFrame,
    HandInput,
    arrange,
    build_handmade_archive,
    whole,
)
from support.handmade_groups import (
    BY_COMPANION,
    FROM_PREDECESSOR,
    IDENTITY,
    INTEGER_DIFFERENCE,
    build_context_group,
    build_raw_group,
    write_context_source,
    write_recipe,
)

N_ELEMENTS = 1500
_RNG = np.random.default_rng(3)
MASTER = _RNG.standard_normal(N_ELEMENTS).astype("<f4").tobytes()
EARLIER = _RNG.bytes(4 * N_ELEMENTS)
HALVES = np.frombuffer(MASTER, "<u2").reshape(-1, 2)
LOWER, UPPER = (np.ascontiguousarray(HALVES[:, side]).tobytes() for side in (0, 1))
COPY = np.frombuffer(MASTER, "<f4").astype("<f2").tobytes()


@dataclass(frozen=True)
class LeaningArchive:
    """An archive, the files that its header names, and what it restores."""

    frames: tuple[HandFrame, ...]
    references: tuple[bytes, ...] = ()
    flags: int = 0
    runs: tuple[tuple[int, int], ...] = ()

    @property
    def shard(self) -> bytes:
        return arrange(b"".join(frame.raw for frame in self.frames), self.runs)

    def build(self) -> bytes:
        return build_handmade_archive(self.frames, self.references, flags=self.flags, runs=self.runs)


def _stored(data: bytes) -> HandFrame:
    return HandFrame(STORED, data, data)


def _derived(raw: bytes, derivation: int, companion: HandInput) -> HandFrame:
    return HandFrame(DERIVED, raw, bytes([derivation]), companion=companion)


def _difference(predecessor: HandInput) -> HandFrame:
    recipe = write_recipe(4, INTEGER_DIFFERENCE, predictor=FROM_PREDECESSOR)
    group = build_raw_group(recipe, np.full(N_ELEMENTS, 2, dtype="u4"))
    raw = (np.frombuffer(predecessor.data, "<u4") + np.uint32(1)).tobytes()
    return HandFrame(BLOCKS, raw, group, predecessor)


def _contexts(companion: HandInput) -> HandFrame:
    """Return a frame of bytes that tell whether the upper bf16 half of an element is below 1."""
    source = write_context_source(7, 0, [(1, 126), (0, 255)])
    recipe = write_recipe(
        1, IDENTITY, n_contexts=2, context_input=BY_COMPANION, companion_bytes=2, source=source
    )
    raw = (np.frombuffer(companion.data, "<u2") & 0x7FFF < 127 << 7).astype("u1").tobytes()
    return HandFrame(BLOCKS, raw, build_context_group(recipe, 1, 2, N_ELEMENTS), companion=companion)


_MASTER_BYTES = 4 * N_ELEMENTS
_SCATTERED = HandInput(
    EARLIER[4000:] + MASTER[:3000] + EARLIER[:1000],
    ((4000, 2000, 1), (0, 3000, 0), (0, 1000, 1)),
)

SOUND = {
    "pieces of two files": LeaningArchive(
        (_stored(b"glue"), _difference(_SCATTERED), HandFrame(IDENTICAL, MASTER, b"", whole(MASTER))),
        (MASTER, EARLIER),
    ),
    "derived from another file": LeaningArchive(
        (_derived(UPPER, 1, whole(MASTER, 1)), _derived(LOWER, 3, whole(MASTER, 1))), (EARLIER, MASTER)
    ),
    "derived from the shard itself": LeaningArchive(
        (_derived(COPY, 2, whole(MASTER, OWN, 2 * N_ELEMENTS)), _stored(MASTER)), flags=LEANS_ON_ITSELF
    ),
    "tied": LeaningArchive(
        (_stored(MASTER), HandFrame(IDENTICAL, MASTER, b"", whole(MASTER, OWN))), flags=LEANS_ON_ITSELF
    ),
    "own pieces of several frames": LeaningArchive(
        (
            _stored(MASTER[:2500]),
            _stored(MASTER[2500:]),
            _stored(UPPER),
            _contexts(whole(UPPER, OWN, _MASTER_BYTES)),
            _difference(whole(MASTER, OWN)),
            HandFrame(
                IDENTICAL,
                MASTER[2000:3000] + EARLIER[:1],
                b"",
                HandInput(MASTER[2000:3000] + EARLIER[:1], ((2000, 1000, OWN), (0, 1, 0))),
            ),
        ),
        (EARLIER,),
        LEANS_ON_ITSELF,
    ),
    "fifteen references": LeaningArchive(
        tuple(
            HandFrame(IDENTICAL, bytes([number]) * 9, b"", whole(bytes([number]) * 9, number))
            for number in range(15)
        ),
        tuple(bytes([number]) * 9 for number in range(15)),
    ),
    "a reference that nothing leans on": LeaningArchive((_stored(b"glue"),), (EARLIER,), LEANS_ON_ITSELF),
    "no frame": LeaningArchive((), (EARLIER,)),
}


def _moved(given: HandInput, **changes: int) -> HandInput:
    """Return the input with its only piece changed."""
    offset, piece_bytes, reference = given.pieces[0]
    piece = {"offset": offset, "piece_bytes": piece_bytes, "reference": reference} | changes
    return HandInput(given.data, ((piece["offset"], piece["piece_bytes"], piece["reference"]),))


def _one(frame: HandFrame, *references: bytes, flags: int = 0) -> LeaningArchive:
    return LeaningArchive((_stored(MASTER), frame), references or (MASTER,), flags)


_IDENTICAL = HandFrame(IDENTICAL, MASTER, b"", whole(MASTER))
_DERIVED = _derived(UPPER, 1, whole(MASTER))

BROKEN: dict[str, LeaningArchive] = {
    "a reserved flag": LeaningArchive((), (), 4),
    "sixteen references": LeaningArchive((), tuple(bytes([number]) for number in range(16))),
    "one reference twice": LeaningArchive((), (MASTER, MASTER)),
    "a reference that does not exist": _one(replace(_IDENTICAL, predecessor=whole(MASTER, 1), leans_on=1)),
    "a reference between the last and the own": _one(
        replace(_IDENTICAL, predecessor=whole(MASTER, 254), leans_on=1)
    ),
    "own bytes without the flag": _one(replace(_IDENTICAL, predecessor=whole(MASTER, OWN))),
    "a piece beyond its file": _one(replace(_IDENTICAL, predecessor=_moved(whole(MASTER), offset=1))),
    "a piece at the end of all numbers": _one(
        replace(_IDENTICAL, predecessor=_moved(whole(MASTER), offset=(1 << 64) - 1))
    ),
    "an empty piece": _one(
        replace(_IDENTICAL, predecessor=HandInput(MASTER, ((0, _MASTER_BYTES, 0), (0, 0, 0))))
    ),
    "a predecessor that is too short": _one(replace(_IDENTICAL, predecessor=whole(MASTER[:-1]))),
    "too many pieces": _one(
        replace(
            _IDENTICAL,
            predecessor=HandInput(MASTER[:4097], tuple((k, 1, 0) for k in range(4097))),
            raw=MASTER[:4097],
        )
    ),
    "an own piece beyond the shard": _one(
        replace(_IDENTICAL, predecessor=whole(MASTER, OWN, 2 * _MASTER_BYTES - 100)), flags=LEANS_ON_ITSELF
    ),
    "a frame that leans on its own bytes": _one(
        replace(_IDENTICAL, predecessor=whole(MASTER, OWN, _MASTER_BYTES)), flags=LEANS_ON_ITSELF
    ),
    "a chain within the shard": LeaningArchive(
        (
            _stored(MASTER),
            replace(_IDENTICAL, predecessor=whole(MASTER, OWN)),
            replace(_IDENTICAL, predecessor=whole(MASTER, OWN, _MASTER_BYTES)),
        ),
        flags=LEANS_ON_ITSELF,
    ),
    "an own piece that reaches one byte into a leaning frame": LeaningArchive(
        (
            _stored(MASTER),
            replace(_IDENTICAL, predecessor=whole(MASTER, OWN)),
            HandFrame(IDENTICAL, MASTER[1:] + MASTER[:1], b"", whole(MASTER[1:] + MASTER[:1], OWN, 1)),
        ),
        flags=LEANS_ON_ITSELF,
    ),
    "an own piece that begins in the last byte of a leaning frame": LeaningArchive(
        (
            replace(_IDENTICAL, predecessor=whole(MASTER, OWN, _MASTER_BYTES)),
            _stored(MASTER),
            HandFrame(
                IDENTICAL,
                MASTER[-1:] + MASTER[:-1],
                b"",
                whole(MASTER[-1:] + MASTER[:-1], OWN, _MASTER_BYTES - 1),
            ),
        ),
        flags=LEANS_ON_ITSELF,
    ),
    "an index that hides that a frame leans on its own bytes": _one(
        replace(_IDENTICAL, predecessor=whole(MASTER, OWN, _MASTER_BYTES), leans_on=1), flags=LEANS_ON_ITSELF
    ),
    "an index that hides that two frames lean on each other": LeaningArchive(
        tuple(
            replace(_IDENTICAL, predecessor=whole(MASTER, OWN, offset), leans_on=1)
            for offset in (_MASTER_BYTES, 0)
        ),
        (MASTER,),
        LEANS_ON_ITSELF,
    ),
    "an index that forgets a reference": _one(replace(_IDENTICAL, leans_on=0)),
    "an index that names another reference": _one(replace(_IDENTICAL, leans_on=2), MASTER, EARLIER),
    "an index that names a reference that does not exist": _one(replace(_IDENTICAL, leans_on=3)),
    "an index that forgets own bytes": _one(
        replace(_IDENTICAL, predecessor=whole(MASTER, OWN), leans_on=0), flags=LEANS_ON_ITSELF
    ),
    "an index that sees own bytes without the flag": _one(replace(_IDENTICAL, leans_on=1 | 1 << 15)),
    "a stored frame with a predecessor": _one(replace(_stored(MASTER), predecessor=whole(MASTER))),
    "a constant with a companion": _one(HandFrame(CONSTANT, bytes(8), bytes(2), companion=whole(MASTER))),
    "identical without a predecessor": _one(replace(_IDENTICAL, predecessor=None)),
    "identical with a companion": _one(replace(_IDENTICAL, companion=whole(MASTER))),
    "identical with something behind it": _one(replace(_IDENTICAL, rest=b"\0")),
    "derived without a companion": _one(replace(_DERIVED, companion=None)),
    "derived with a predecessor": _one(replace(_DERIVED, predecessor=whole(UPPER), leans_on=1), MASTER),
    "derived by an unknown rule": _one(replace(_DERIVED, rest=b"\4")),
    "derived by no rule": _one(replace(_DERIVED, rest=b"")),
    "derived with something behind it": _one(replace(_DERIVED, rest=b"\1\0")),
    "derived from too little": _one(replace(_DERIVED, companion=whole(MASTER[:-4]))),
    "derived from too much": _one(replace(_DERIVED, raw=UPPER[:-2])),
    "an odd number of derived bytes": _one(replace(_DERIVED, raw=UPPER[:-1], companion=whole(MASTER[:-2]))),
    "blocks without their predecessor": _one(replace(_difference(whole(MASTER)), predecessor=None)),
    "blocks with a companion that they do not use": _one(
        replace(_difference(whole(MASTER)), companion=whole(MASTER))
    ),
    "blocks without their companion": _one(replace(_contexts(whole(UPPER)), companion=None), UPPER),
    "blocks with half of their companion": _one(
        replace(_contexts(whole(UPPER)), companion=whole(UPPER[:N_ELEMENTS])), UPPER
    ),
    "an unknown method": _one(HandFrame(6, MASTER, b"")),
}


def spoil_input_checksum() -> bytes:
    """Return an archive whose frame has a wrong checksum of its input, and right ones of everything around."""
    honest = HandFrame(IDENTICAL, MASTER, b"", whole(MASTER))
    liar = replace(honest, predecessor=HandInput(EARLIER, whole(MASTER).pieces))
    return build_handmade_archive([liar], [MASTER])
