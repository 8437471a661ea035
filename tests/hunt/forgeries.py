"""Damaged archives: some as disks and networks damage them, most with checksums made right again around the damage.

So it reaches the parsers and decoders within.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from hunt.mutations import draw_extreme, mutate
from hunt.parts import (
    FramePart,
    Parts,
    put_together,
    read_claims,
    read_frame,
    read_plain_index,
    seal_input,
    set_arranged,
    take_apart,
)
from hunt.victims import Victim
from weightzip.codec.format.arrangement import Arrangement
from weightzip.codec.format.data_frame import OWN, FrameInput, Piece, encode_data_frame
from weightzip.codec.format.layout import ContainerKind, Layout
from weightzip.codec.format.limits import MAX_PIECES, MAX_REFERENCES
from weightzip.codec.zstd import compress_zstd

_ODD_REFERENCES = (OWN, OWN - 1, MAX_REFERENCES, MAX_REFERENCES - 1)


@dataclass(frozen=True)
class Forgery:
    """A damaged archive of a victim, and the kind of damage in a word."""

    victim: Victim
    kind: str
    archive: bytes

    @property
    def keeps_order(self) -> bool:
        """Return whether frames and the runs of the shard stand where they stood, as far as the index says so."""
        return self.kind not in ("order", "runs")


def _forge_header(random: Random, parts: Parts, donor: Parts) -> bytes:
    return put_together(replace(parts, header=mutate(random, parts.header, donor.header)))


def _forge_body(random: Random, parts: Parts, donor: Parts) -> bytes:
    """Damage the body of a frame: its fields, its inputs, or what its method has."""

    def forge(part: FramePart) -> bytes:
        return mutate(random, part.body, random.choice(donor.frames).body)

    return _replace_frame(random, parts, forge)


def _forge_rest(random: Random, parts: Parts, donor: Parts) -> bytes:
    """Damage what belongs to the method of a frame, so that every change reaches its decoder."""

    def forge(part: FramePart) -> bytes:
        frame = read_frame(part, parts)
        other = read_frame(random.choice(donor.frames), donor)
        rest = mutate(random, bytes(frame.rest), bytes(other.rest))
        raw_bytes = frame.raw_bytes
        if random.random() < 0.1:
            raw_bytes = max(draw_extreme(random, 4, frame.raw_bytes) % (1 << 20), 1)
        return b"".join(encode_data_frame(replace(frame, rest=rest, raw_bytes=raw_bytes)))

    return _replace_frame(random, parts, forge)


def _forge_inputs(random: Random, parts: Parts, donor: Parts) -> bytes:
    """Change the pieces that a frame leans on, or take some away, or give it some."""

    def forge(part: FramePart) -> bytes:
        frame = read_frame(part, parts)
        predecessor, companion = frame.predecessor, frame.companion
        if random.random() < 0.5:
            predecessor = _draw_input(random, predecessor, parts)
        else:
            companion = _draw_input(random, companion, parts)
        if random.random() < 0.1:
            predecessor, companion = companion, predecessor
        return b"".join(encode_data_frame(replace(frame, predecessor=predecessor, companion=companion)))

    return _replace_frame(random, parts, forge)


def _draw_input(random: Random, given: FrameInput | None, parts: Parts) -> FrameInput | None:
    if given is None:
        return seal_input([Piece(0, 1 + random.randrange(64), 0)], parts)
    if random.random() < 0.1:
        return None
    pieces = list(given.pieces)
    place = random.randrange(len(pieces))
    piece = pieces[place]
    match random.randrange(6):
        case 0:
            pieces[place] = replace(piece, offset=draw_extreme(random, 8, piece.offset))
        case 1:
            pieces[place] = replace(piece, n_bytes=draw_extreme(random, 4, piece.n_bytes))
        case 2:
            pieces[place] = replace(piece, reference=random.choice([*parts.file_bytes, *_ODD_REFERENCES]))
        case 3:
            cut = random.randint(0, piece.n_bytes)
            pieces[place : place + 1] = [
                replace(piece, n_bytes=cut),
                replace(piece, offset=piece.offset + cut, n_bytes=piece.n_bytes - cut),
            ]
        case 4:
            pieces *= random.choice([2, 3, MAX_PIECES + 1])
        case _:
            del pieces[place]
    return replace(given, pieces=tuple(pieces)) if random.random() < 0.3 else seal_input(pieces, parts)


def _replace_frame(random: Random, parts: Parts, forge: Callable[[FramePart], bytes]) -> bytes:
    """Put the parts together around a frame that was forged; mostly the index says of it what it says itself."""
    if not parts.frames:
        return put_together(parts)
    place = random.randrange(len(parts.frames))
    frames = list(parts.frames)
    body, facts = forge(frames[place]), frames[place].facts
    if random.random() < 0.8:
        facts = read_claims(body, facts, parts)
    frames[place] = FramePart(body, facts)
    return put_together(_fit_index(random, replace(parts, frames=tuple(frames))))


def _forge_order(random: Random, parts: Parts, donor: Parts) -> bytes:
    """Drop frames, repeat them, exchange them, or take one from another archive."""
    frames = list(parts.frames)
    for _ in range(random.randint(1, 3)):
        first, second = (random.randrange(len(frames) + 1) for _ in range(2))
        match random.randrange(4):
            case 0:
                del frames[first : first + 1]
            case 1:
                frames[second:second] = frames[first : first + 1]
            case 2:
                frames[first : first + 1], frames[second : second + 1] = (
                    frames[second : second + 1],
                    frames[first : first + 1],
                )
            case _:
                frames.insert(first, random.choice(donor.frames))
    return put_together(_fit_index(random, replace(parts, frames=tuple(frames))))


def _fit_index(random: Random, parts: Parts) -> Parts:
    """Mostly let the index have the size that the frames sum to, so that it is not refused for that."""
    n_bytes = sum(part.facts.raw_bytes for part in parts.frames)
    if n_bytes == parts.index.file_bytes or random.random() < 0.3:
        return parts
    layout = Layout(ContainerKind.OPAQUE, n_bytes, ())
    runs = _list_runs(parts)
    if runs:  # the last one takes what is missing
        runs[-1][1] += n_bytes - parts.index.file_bytes
    return replace(parts, index=replace(parts.index, layout=layout, arrangement=_arrange(runs)))


def _forge_runs(random: Random, parts: Parts, donor: Parts) -> bytes:
    """Let the runs of an arrangement lie elsewhere: where others lay, mostly, so that they tile the shard."""
    runs = _list_runs(parts) or [[0, parts.index.file_bytes]]
    for _ in range(random.randint(1, 3)):
        first, second = (random.randrange(len(runs)) for _ in range(2))
        match random.randrange(5):
            case 0:
                runs[first], runs[second] = runs[second], runs[first]
            case 1:
                offset, n_bytes = runs[first]
                cut = random.randint(0, max(n_bytes, 0))
                runs[first : first + 1] = [[offset, cut], [offset + cut, n_bytes - cut]]
            case 2:
                _resize(random, runs, first, second)
            case 3:
                runs[first][random.randrange(2)] = draw_extreme(random, 8, runs[second][0]) - (1 << 63)
            case _:
                del runs[first]
        if not runs:
            break
    header = parts.header
    if random.random() < 0.8:
        header = set_arranged(header, bool(runs))
    return put_together(replace(parts, header=header, index=replace(parts.index, arrangement=_arrange(runs))))


def _resize(random: Random, runs: list[list[int]], first: int, second: int) -> None:
    """Move a border of a run, and mostly that of another with it."""
    n_bytes = random.randint(-3, 3)
    runs[first][1] += n_bytes
    if random.random() < 0.8:
        runs[second][1] -= n_bytes
        runs[second][0] += n_bytes


def _list_runs(parts: Parts) -> list[list[int]]:
    runs = parts.index.arrangement
    return [list(run) for run in zip(runs.offset.tolist(), runs.n_bytes.tolist(), strict=True)]


def _arrange(runs: Sequence[Sequence[int]]) -> Arrangement:
    """Return runs as an arrangement, which need not tile anything."""
    numbers = [number % (1 << 64) for run in runs for number in run]
    return Arrangement(*np.array(numbers, dtype=np.uint64).view(np.int64).reshape(-1, 2).T)


def _forge_index(random: Random, parts: Parts, donor: Parts) -> bytes:
    """Damage what the index says."""
    plain, other = (read_plain_index(given) for given in (parts, donor))
    mutated = mutate(random, plain, other)
    return put_together(parts, index_body=struct.pack("<Q", len(mutated)) + compress_zstd(mutated, level=1))


def _forge_envelope(random: Random, parts: Parts, donor: Parts) -> bytes:
    """Damage the compressed form of the index."""
    return put_together(parts, index_body=mutate(random, parts.index_body, donor.index_body))


def _forge_footer(random: Random, parts: Parts, donor: Parts) -> bytes:
    return put_together(parts, index_offset=draw_extreme(random, 8, random.randrange(1000)))


def _forge_bytes(random: Random, parts: Parts, donor: Parts) -> bytes:
    return mutate(random, parts.archive, donor.archive)


Forge = Callable[[Random, Parts, Parts], bytes]

# How often, and how.
_KINDS: dict[str, tuple[int, Forge]] = {
    "bytes": (20, _forge_bytes),
    "header": (5, _forge_header),
    "frame": (10, _forge_body),
    "method": (33, _forge_rest),
    "inputs": (8, _forge_inputs),
    "order": (4, _forge_order),
    "runs": (5, _forge_runs),
    "index": (12, _forge_index),
    "envelope": (4, _forge_envelope),
    "footer": (2, _forge_footer),
}


class Forger:
    """Makes damaged archives of victims. The same generator state gives the same archive."""

    def __init__(self, victims: Sequence[Victim]) -> None:
        self._victims = victims
        self._parts = [take_apart(victim) for victim in victims]
        self._donors = [parts for parts in self._parts if parts.frames]

    def forge(self, random: Random) -> Forgery:
        """Draw a victim and a kind of damage."""
        number = random.randrange(len(self._victims))
        donor = random.choice(self._donors)
        kind = random.choices(list(_KINDS), [weight for weight, _ in _KINDS.values()])[0]
        return Forgery(self._victims[number], kind, _KINDS[kind][1](random, self._parts[number], donor))
