"""What becomes of a damaged archive: it must be refused by name or restore the right bytes, from a file and from a pipe."""

import io
import re
from collections.abc import Callable, Mapping

import numpy as np

from hunt.forgeries import Forgery
from hunt.victims import Victim
from shards.archives import map_by_digest
from weightzip.codec.backend import CpuBackend
from weightzip.codec.decoder import decode_shard
from weightzip.codec.format.index import Index
from weightzip.codec.placement import locate_frames
from weightzip.codec.reader import Archive
from weightzip.codec.reference import decode_archive
from weightzip.codec.source import MemorySource
from weightzip.codec.stream import StreamDecoder
from weightzip.errors import WeightzipError

RIGHT = "right bytes"
WRONG = "WRONG BYTES"
UNJUDGED = "too large for the reference"
"""Verdicts beside these are why an archive was refused, without the numbers."""

_BACKEND = CpuBackend(1)
_MAX_REFERENCE_BYTES = 50_000
_NUMBERS = re.compile(r"\b(0x)?[0-9a-f]*[0-9][0-9a-f]*\b")


def list_verdicts(forgery: Forgery) -> dict[str, str]:
    """Return the verdicts on a damaged archive by the way of decoding. Raises what is not of the family of our errors."""
    archive, victim = forgery.archive, forgery.victim
    verdicts = {"file": judge_file(archive, victim), "pipe": judge_pipe(archive, victim)}
    if forgery.keeps_order:
        verdicts["frames"] = judge_frames(archive, victim)
    if len(victim.shard) <= _MAX_REFERENCE_BYTES:
        verdicts["reference"] = judge_reference(archive, victim)
    return verdicts


def find_fault(forgery: Forgery, verdicts: Mapping[str, str]) -> str | None:
    """Return what is wrong with the verdicts: wrong bytes, or an archive that the reference judges otherwise."""
    if WRONG in verdicts.values():
        return "wrong bytes were taken for the right ones"
    # Of a file that a forged header names by another digest, the reference alone asks for the digest.
    if forgery.kind == "header" or verdicts.get("reference", UNJUDGED) == UNJUDGED:
        return None
    agree = (verdicts["reference"] == RIGHT) == (verdicts["file"] == RIGHT)
    return None if agree else "the reference judges otherwise"


def judge_file(archive: bytes, victim: Victim) -> str:
    """Return the verdict on decoding the whole with random access."""

    def restores_right() -> bool:
        opened = _open(archive, victim)
        return b"".join(decode_shard(opened, n_threads=1)) == victim.shard

    return _judge(restores_right)


def judge_frames(archive: bytes, victim: Victim) -> str:
    """Return the verdict on decoding frames alone, which no digest of the whole protects.

    Frames of an index that tiles the shard otherwise, or arranges it otherwise, are not judged: whoever forges one with
    right checksums decides what is where.
    """

    def restores_right() -> bool:
        opened = _open(archive, victim)
        sound = Archive(MemorySource(victim.archive))
        if not _have_same_order(opened.index, sound.index):
            return True
        parts = locate_frames(sound.index) if victim.shard else None
        return all(
            opened.read_frame(number) == b"".join(victim.shard[o : o + n] for _, _, o, n in parts(number))
            for number in range(len(sound.index.frames))
            if parts is not None
        )

    return _judge(restores_right)


def _have_same_order(first: Index, second: Index) -> bool:
    runs = (first.arrangement, second.arrangement)
    return (
        np.array_equal(first.frames.raw_offset, second.frames.raw_offset)
        and np.array_equal(runs[0].offset, runs[1].offset)
        and np.array_equal(runs[0].n_bytes, runs[1].n_bytes)
    )


def judge_pipe(archive: bytes, victim: Victim) -> str:
    """Return the verdict on decoding front to back."""

    def restores_right() -> bool:
        decoder = StreamDecoder(
            io.BytesIO(archive), predecessor=None, beside=victim.files, backend=_BACKEND, n_threads=1
        )
        return b"".join(decoder) == victim.shard

    return _judge(restores_right)


def judge_reference(archive: bytes, victim: Victim) -> str:
    """Return the verdict of the reference, which is slow, and promises nothing about its memory."""
    try:
        return _judge(lambda: decode_archive(archive, map_by_digest(victim.files)) == victim.shard)
    except MemoryError:
        return UNJUDGED


def _open(archive: bytes, victim: Victim) -> Archive:
    return Archive(MemorySource(archive), beside=victim.files, backend=_BACKEND)


def _judge(restores_right: Callable[[], bool]) -> str:
    try:
        return RIGHT if restores_right() else WRONG
    except WeightzipError as error:
        reason = str(error).rpartition(": ")[2]
        return f"{type(error).__name__}: {_NUMBERS.sub('N', reason)}"
