"""Which rivals are measured, by name; ours come last."""

import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.rival import Rival
from benchmarks.rivals.memcpy import Memcpy
from benchmarks.rivals.names import OUR_LEVELS, OURS_TWO_THREADS
from benchmarks.rivals.weightzip_file import WeightzipFile
from benchmarks.rivals.weightzip_frames import WeightzipFrames
from benchmarks.rivals.xor_planes import XorPlanes
from benchmarks.rivals.zipnn_rival import ZipNN, ZipNNOnXor
from benchmarks.rivals.zstd_alone import ZstdAlone


def open_peers() -> Sequence[Rival]:
    """Return everybody else, for sizes."""
    return ZstdAlone(), XorPlanes(), ZipNN(), ZipNNOnXor()


def open_rivals(folder: Path) -> Sequence[Rival]:
    """Return every rival, for speeds; the ones that work on files do so in `folder`."""
    has_two_cores = len(os.sched_getaffinity(0)) > 1
    two_threads = (WeightzipFrames(OURS_TWO_THREADS, n_threads=2),) if has_two_cores else ()
    return (
        Memcpy(),
        *open_peers(),
        *(WeightzipFrames(name) for name in OUR_LEVELS),
        *two_threads,
        WeightzipFile(folder, verify=False),
        WeightzipFile(folder, verify=True),
    )
