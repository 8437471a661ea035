"""What is made of timings, and that every round times everybody; no test here knows how fast anything should be."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.case import Case, Facts, build_case
from benchmarks.rival import Buffer, BufferRival
from benchmarks.rivals.memcpy import Memcpy
from benchmarks.shard import RawTensor
from benchmarks.speed import Rate, SpeedRow, compute_rate, measure_speeds
from benchmarks.speed_targets import compare_speeds


class _Logged(BufferRival):
    """Copies, and writes down its name, and the cores it was given, at every call."""

    def __init__(self, name: str, log: list[tuple[str, int]], n_threads: int = 1) -> None:
        self.name = name
        self.n_threads = n_threads
        self._log = log

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        self._log.append((self.name, len(os.sched_getaffinity(0))))
        return [bytes(source)]

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        return encoded


class _Lossy(Memcpy):
    """Loses a byte."""

    name = "lossy"

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        return [encoded[0][1:]]


@pytest.fixture
def case(tmp_path: Path) -> Case:
    """Give a case of a few zeros."""
    return build_case(tmp_path, Facts("data", "F32", "weights"), {"w": RawTensor("F32", (25,), bytes(100))})


def test_the_fastest_round_is_the_shortest() -> None:
    assert compute_rate(3_000_000_000, [1, 3, 2]) == Rate(fastest=3, median=1.5, slowest=1)


def test_rounds_alternate_and_go_to_and_fro(case: Case) -> None:
    log: list[tuple[str, int]] = []
    before = os.sched_getaffinity(0)
    rows = measure_speeds([case], [_Logged("a", log), _Logged("b", log)], n_rounds=3)
    proofs, rounds = log[:2], log[2:]
    assert [name for name, _ in proofs] == ["a", "b"]
    assert [name for name, _ in rounds] == ["a", "b", "b", "a", "a", "b"]
    assert {n_cores for _, n_cores in rounds} == {1}
    assert [(row.rival, row.n_bytes) for row in rows] == [("a", 100), ("b", 100)]
    assert os.sched_getaffinity(0) == before


def test_two_threads_have_two_cores_where_there_are_two(case: Case) -> None:
    log: list[tuple[str, int]] = []
    measure_speeds([case], [_Logged("a", log, n_threads=2)], n_rounds=1)
    assert log[-1] == ("a", min(2, len(os.sched_getaffinity(0))))


def test_a_rival_that_loses_bytes_ends_the_run(case: Case) -> None:
    with pytest.raises(SystemExit, match=r"lossy.*differ"):
        measure_speeds([case], [_Lossy()], n_rounds=1)


def _row(rival: str, encode: float, decode: float, *, dtype: str = "BF16", data: str = "MiniLM") -> SpeedRow:
    facts = Facts(data, dtype, "weights", spacing="alone" if data == "MiniLM" else "1 step before")
    rates = (Rate(2 * speed, speed, speed / 2) for speed in (encode, decode))
    return SpeedRow(facts, 1, rival, 1, *rates)


def test_speeds_are_compared_within_a_run() -> None:
    rows = [
        _row("memcpy", 8, 8),
        _row("ZipNN", 1, 2),
        _row("weightzip", 3, 4),
        _row("weightzip, 2 threads", 3, 6),
        _row("weightzip", 1, 9, dtype="F32"),
        _row("weightzip", 1, 3, dtype="F32", data="demo run"),
    ]
    found = {one.name: one.by_fastest for one in compare_speeds(rows)}
    assert found == {
        "decode bf16 / ZipNN": 2,
        "decode bf16 / memcpy": 0.5,
        "encode bf16 / ZipNN": 3,
        "decode fp32 with predecessor / decode bf16 alone": 0.75,
        "decode bf16, two threads / one": 1.5,
        "encode bf16, two threads / one": 1,
    }


def test_what_was_not_measured_is_not_compared() -> None:
    assert list(compare_speeds([_row("weightzip", 1, 1)])) == []
