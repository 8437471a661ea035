"""Every rival that needs no further package gives back every byte, of every kind of case."""

from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.case import Case, Facts, build_case
from benchmarks.rival import Rival, prove_round_trip
from benchmarks.rivals.memcpy import Memcpy
from benchmarks.rivals.names import OURS_MAX
from benchmarks.rivals.weightzip_file import WeightzipFile
from benchmarks.rivals.weightzip_frames import WeightzipFrames
from benchmarks.rivals.xor_planes import XorPlanes
from benchmarks.rivals.zstd_alone import ZstdAlone
from benchmarks.shard import RawTensor, read_tensors

from shards.related import write_related

OPEN_RIVAL: dict[str, Callable[[Path], Rival]] = {
    "memcpy": lambda _: Memcpy(),
    "zstd": lambda _: ZstdAlone(),
    "xor": lambda _: XorPlanes(),
    "frames": lambda _: WeightzipFrames(),
    "frames on two threads": lambda _: WeightzipFrames(n_threads=2),
    "frames at the highest level": lambda _: WeightzipFrames(OURS_MAX),
    "file": lambda folder: WeightzipFile(folder, verify=True),
}


def _read_moments(folder: Path, step: int) -> dict[str, RawTensor]:
    tensors = read_tensors(write_related(folder, step)[1])
    return {name: tensor for name, tensor in tensors.items() if name.startswith("exp_avg")}


@pytest.fixture(params=["alone", "1 step before"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    """Give both moments, one of which leans on the other, with and without predecessor."""
    facts = Facts("data", "F32", "moments", spacing=request.param)
    predecessor = _read_moments(tmp_path, 1) if request.param != "alone" else None
    return build_case(tmp_path, facts, _read_moments(tmp_path, 2), predecessor)


@pytest.mark.parametrize("name", OPEN_RIVAL)
def test_every_byte_comes_back(name: str, case: Case, tmp_path: Path) -> None:
    rival = OPEN_RIVAL[name](tmp_path)
    if rival.accepts(case):
        assert prove_round_trip(rival, case)
    else:
        assert (name, case.facts.spacing) == ("memcpy", "1 step before")


def test_frames_are_what_an_archive_holds(case: Case, tmp_path: Path) -> None:
    frames = sum(map(len, prove_round_trip(WeightzipFrames(), case)))
    archive = sum(map(len, prove_round_trip(WeightzipFile(tmp_path, verify=False), case)))
    assert archive - 1000 < frames < archive
