"""Archives written by hand whose frames hold the shard in another order: sound ones, and ones that break one rule each."""

from dataclasses import replace

from support.handmade_archives import (
    ARRANGED,
    CONSTANT,
    IDENTICAL,
    LEANS_ON_ITSELF,
    OWN,
    STORED,
    HandFrame,
    HandInput,
    whole,
)
from support.leaning_archives import EARLIER, MASTER, LeaningArchive

_WINDOW_BYTES = 64 << 20


def _stored(data: bytes) -> HandFrame:
    return HandFrame(STORED, data, data)


def _constant(n_bytes: int) -> HandFrame:
    return HandFrame(CONSTANT, bytes(n_bytes), bytes(2))


def _list_gaps(*runs: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Return (gap, run_bytes) for runs (offset, run_bytes)."""
    ends = [0, *(offset + run_bytes for offset, run_bytes in runs)]
    return tuple((offset - end, run_bytes) for (offset, run_bytes), end in zip(runs, ends[:-1], strict=True))


# Five stretches of 100 bytes in the order 1 3 0 2 4, in frames whose edges are not theirs.
_MIXED = LeaningArchive(
    (_stored(MASTER[:150]), _stored(MASTER[150:300]), _stored(MASTER[300:500])),
    (),
    ARRANGED,
    _list_gaps((100, 100), (300, 100), (0, 100), (200, 100), (400, 100)),
)
# The shard is a copy of MASTER between two halves of it, all of which are gathered first.
_OWN_PIECE = LeaningArchive(
    (
        _stored(MASTER),
        HandFrame(IDENTICAL, MASTER, b"", HandInput(MASTER, ((0, 3000, OWN), (9000, 3000, OWN)))),
    ),
    (),
    ARRANGED | LEANS_ON_ITSELF,
    _list_gaps((0, 3000), (9000, 3000), (3000, 6000)),
)

SOUND = {
    "stretches in another order": _MIXED,
    "several windows": LeaningArchive(
        (*(_stored(MASTER[begin : begin + 100]) for begin in range(0, 600, 100)),),
        (),
        ARRANGED,
        _list_gaps((100, 100), (0, 100), (200, 200), (500, 100), (400, 100)),
    ),
    "one frame in another order": LeaningArchive(
        (_stored(MASTER),), (), ARRANGED, _list_gaps((5999, 1), (0, 5999))
    ),
    "a run for every byte": LeaningArchive(
        (_stored(MASTER[:60]), _stored(MASTER[60:100])),
        (),
        ARRANGED,
        _list_gaps(*((offset, 1) for offset in reversed(range(100)))),
    ),
    "one run": LeaningArchive((_stored(MASTER),), (), ARRANGED, ((0, 6000),)),
    "runs in order": LeaningArchive((_stored(MASTER),), (), ARRANGED, ((0, 10), (0, 5990))),
    "own pieces in gathered frames": _OWN_PIECE,
    "gathered from a predecessor": LeaningArchive(
        (
            HandFrame(
                IDENTICAL,
                EARLIER[:50] + EARLIER[70:100],
                b"",
                HandInput(EARLIER[:50] + EARLIER[70:100], ((0, 50, 0), (70, 30, 0))),
            ),
            _stored(MASTER[:20]),
        ),
        (EARLIER,),
        ARRANGED,
        _list_gaps((0, 50), (70, 30), (50, 20)),
    ),
}

WIDEST = LeaningArchive(
    (_constant(_WINDOW_BYTES // 2), _constant(_WINDOW_BYTES // 2)),
    (),
    ARRANGED,
    _list_gaps((1, _WINDOW_BYTES - 1), (0, 1)),
)
"""A window that is just not too large."""


def _mixed(*runs: tuple[int, int]) -> LeaningArchive:
    return replace(_MIXED, runs=_list_gaps(*runs))


BROKEN = {
    "runs without the flag": replace(_MIXED, flags=0),
    "the flag without runs": replace(_MIXED, runs=()),
    "the flag of an empty shard": LeaningArchive((), (), ARRANGED),
    "a run of an empty shard": LeaningArchive((), (), ARRANGED, ((0, 1),)),
    "an empty run": _mixed((100, 400), (0, 100), (500, 0)),
    "runs that are too short": _mixed((100, 400), (0, 99)),
    "runs that are too long": _mixed((100, 400), (0, 101)),
    "runs that overlap": _mixed((100, 400), (1, 100)),
    "a run before the shard": _mixed((100, 400), (-100, 100)),
    "a run beyond the shard": _mixed((100, 400), (500, 100)),
    "a hole at the front": _mixed((1, 400), (401, 100)),
    "a run at the end of all numbers": replace(_MIXED, runs=((-(1 << 63), 250), ((1 << 63) - 1, 250))),
    "a window that is too large": replace(
        WIDEST, frames=(*WIDEST.frames, _constant(1)), runs=_list_gaps((1, _WINDOW_BYTES), (0, 1))
    ),
    "an own piece that reaches into a gathered frame that leans": replace(
        _OWN_PIECE,
        frames=(
            _OWN_PIECE.frames[0],
            replace(_OWN_PIECE.frames[1], predecessor=whole(MASTER[:3000] + MASTER[:3000], OWN)),
        ),
    ),
    "an own piece in the order of the frames": replace(
        _OWN_PIECE,
        frames=(_OWN_PIECE.frames[0], replace(_OWN_PIECE.frames[1], predecessor=whole(MASTER, OWN))),
    ),
}
