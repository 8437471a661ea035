"""Which rivals are measured, by name; ours come last."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.rival import Rival
from benchmarks.rivals.memcpy import Memcpy
from benchmarks.rivals.weightzip_file import WeightzipFile
from benchmarks.rivals.weightzip_frames import WeightzipFrames
from benchmarks.rivals.xor_planes import XorPlanes
from benchmarks.rivals.zipnn_rival import ZipNN
from benchmarks.rivals.zstd_alone import ZstdAlone


def open_rivals(folder: Path) -> Sequence[Rival]:
    """Return every rival; the ones that work on files do so in `folder`."""
    return (
        Memcpy(),
        ZstdAlone(),
        XorPlanes(),
        ZipNN(),
        WeightzipFrames(),
        WeightzipFile(folder, verify=False),
        WeightzipFile(folder, verify=True),
    )
