"""The kernels under sanitizers: nothing to report of them as they are, and a report of every bug planted in them.

ThreadSanitizer sees the threads of a grid as such: what neither a barrier nor __syncwarp orders is a race.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

_TESTS = Path(__file__).parents[1]
_RACES, _BOUNDS = "thread", "address,undefined"
_LIBRARIES = {_RACES: "libtsan.so", _BOUNDS: "libasan.so"}


def _run(sanitizers: str, vector: str, *changes: str) -> tuple[int, str]:
    """Return exit status and error output of decoding a vector in a process of its own."""
    found = ["gcc", f"-print-file-name={_LIBRARIES[sanitizers]}"]
    library = subprocess.run(found, capture_output=True, text=True, check=True).stdout.strip()
    environment = os.environ | {
        "LD_PRELOAD": library,
        "PYTHONPATH": str(_TESTS),
        "TSAN_OPTIONS": "exitcode=66",
        "ASAN_OPTIONS": "detect_leaks=0:exitcode=66",
        "UBSAN_OPTIONS": "halt_on_error=1:exitcode=66",
    }
    command = [sys.executable, "-m", "cudasim.golden_archives", sanitizers, vector, "--", *changes]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("sanitizers", _LIBRARIES)
@pytest.mark.parametrize(
    "vector", ["bf16", "bf16-moved", "low-contexts", "fp64-moved", "scales-fp32", "step-moved"]
)
def test_nothing_to_report(vector: str, sanitizers: str) -> None:
    status, output = _run(sanitizers, vector)
    assert status == 0, output


@dataclass(frozen=True)
class Bug:
    """A change of the source, the vector and the sanitizers that show it, and what is said then."""

    old: str
    new: str
    vector: str
    sanitizers: str
    said: str


# A pointer that was read too early may end the process before the race is reported.
_RACE = "ThreadSanitizer: (data race|SEGV)"
_OVERFLOW = "AddressSanitizer: heap-buffer-overflow"
_BARRIER = "    __syncthreads();\n"
_WARP_BARRIER = "    __syncwarp();\n"
_COPY_FRAME = "copy_to_shared(frames + here.frame, sizeof(Frame), shared);\n"
_OWN_MEMORY = "    memory += warp_number() * frame.warp_bytes;\n"
_LOAD_WORDS = "    load_words(stream, loaded);\n    loaded += kLoadWords;\n"
_FILL_RING = (
    "    for (u32 loaded = 0; loaded < kRingWords; loaded += kLoadWords) load_words(stream, loaded);\n"
)
_KEEP_PLANE = "block.memory.planes[k] = bytes;\n"
_VOTE = "    const u32 takers = __ballot_sync(kAllLanes, needs);\n"
_IN_STREAM = "if (vector * kWordsInVector >= stream.end) return;"
_WORDS = "reinterpret_cast<const uint4*>(first - n_before)"
_REPORT = "if (faults != 0) atomicOr(frame.status, faults);"

BUGS = {
    "no barrier after the frame": Bug(_COPY_FRAME + _BARRIER, _COPY_FRAME, "bf16", _RACES, _RACE),
    "no barrier after the tables": Bug(_OWN_MEMORY + _BARRIER, _OWN_MEMORY, "bf16", _RACES, _RACE),
    "no warp barrier before words are loaded": Bug(
        _WARP_BARRIER + _LOAD_WORDS, _LOAD_WORDS, "bf16", _RACES, _RACE
    ),
    "no warp barrier after the first words": Bug(
        _FILL_RING + _WARP_BARRIER, _FILL_RING, "bf16", _RACES, _RACE
    ),
    "no warp barrier after a plane": Bug(_KEEP_PLANE + _WARP_BARRIER, _KEEP_PLANE, "bf16", _RACES, _RACE),
    "a status that is not atomic": Bug(_REPORT, "*frame.status += faults;", "bf16", _RACES, _RACE),
    "two blocks write one table": Bug(
        "symbols[slot] = u8", "job.plane[slot] = *symbols = u8", "companion", _RACES, _RACE
    ),
    "a barrier for some": Bug(
        _OWN_MEMORY + _BARRIER,
        _OWN_MEMORY + "    if (lane_number() != 9) __syncthreads();\n",
        "bf16",
        _RACES,
        "KernelFault: .*__syncthreads",
    ),
    "a vote of some": Bug(
        _VOTE,
        "    u32 takers = 0;\n    if (needs) takers = __ballot_sync(kAllLanes, needs);\n",
        "bf16",
        _BOUNDS,
        "KernelFault: .*warp diverged",
    ),
    "half a warp leaves": Bug(
        "    const Work& here = work[blockIdx.x];\n",
        "    const Work& here = work[blockIdx.x];\n    if (lane_number() > 15) return;\n",
        "bf16",
        _BOUNDS,
        "CorruptData|KernelFault|AddressSanitizer",
    ),
    "a wrong lane": Bug(
        "__shfl_up_sync(kAllLanes, inclusive, distance)",
        "__shfl_sync(kAllLanes, inclusive, lane - distance + (distance == 4))",
        "bf16",
        _BOUNDS,
        "CorruptData|AddressSanitizer",
    ),
    "a vector that is not aligned": Bug(
        _WORDS, "reinterpret_cast<const uint4*>(first)", "bf16", _BOUNDS, "misaligned"
    ),
    "words beyond the stream": Bug(_IN_STREAM, "", "low-contexts", _BOUNDS, _OVERFLOW),
    "memory of another warp": Bug(
        "memory += warp_number() *", "memory += (warp_number() + 7) *", "bf16", _BOUNDS, _OVERFLOW
    ),
}


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_caught(name: str) -> None:
    bug = BUGS[name]
    status, output = _run(bug.sanitizers, bug.vector, bug.old, bug.new)
    assert status != 0
    assert re.search(bug.said, output), output
