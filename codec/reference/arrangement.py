"""The order in which frames hold the shard (docs/format.md, "Arrangement")."""

from collections.abc import Iterable
from typing import NamedTuple

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import MAX_RUNS, MAX_WINDOW_BYTES


class Run(NamedTuple):
    """Bytes of the shard that stand together among the arranged bytes."""

    arranged_offset: int
    offset: int
    n_bytes: int


def read_runs(cursor: Cursor, file_bytes: int) -> tuple[bool, tuple[Run, ...]]:
    """Return whether there are runs at the cursor, and those that hold: all of the shard is one if there are none."""
    n_runs = cursor.u32("n_runs")
    cursor.expect(n_runs <= MAX_RUNS, f"{n_runs} runs are too many")
    gaps = cursor.column("<i8", n_runs, "gap").tolist()
    sizes = cursor.column("<u8", n_runs, "run_bytes").tolist()
    if n_runs == 0:
        return False, (Run(0, 0, file_bytes),)
    runs = []
    arranged_offset = end = 0
    for gap, n_bytes in zip(gaps, sizes, strict=True):
        cursor.expect(n_bytes > 0, "a run is empty")
        runs.append(Run(arranged_offset, end + gap, n_bytes))
        arranged_offset += n_bytes
        end += gap + n_bytes
    position = 0
    for run in sorted(runs, key=lambda run: run.offset):
        cursor.expect(run.offset == position, "the runs do not tile the shard")
        position += run.n_bytes
    cursor.expect(position == file_bytes, "the runs do not tile the shard")
    return True, tuple(runs)


def place_frames(runs: tuple[Run, ...], frame_sizes: Iterable[int]) -> list[list[Run]]:
    """Return for each frame the stretches of it that stand together in the shard, arranged_offset counted in the frame."""
    waiting = list(reversed(runs))
    placed = []
    for n_bytes in frame_sizes:
        stretches = []
        first = 0
        while first < n_bytes:
            _, offset, available = waiting.pop()
            taken = min(available, n_bytes - first)
            stretches.append(Run(first, offset, taken))
            first += taken
            if taken < available:
                waiting.append(Run(0, offset + taken, available - taken))
        placed.append(stretches)
    return placed


def check_windows(cursor: Cursor, placed: list[list[Run]]) -> None:
    """Check the size of windows: the shortest stretches of frames that hold the same bytes in both orders."""
    window_begin = end = reached = 0
    for stretches in placed:
        end += sum(run.n_bytes for run in stretches)
        reached = max(reached, *(run.offset + run.n_bytes for run in stretches))
        if reached == end:
            cursor.expect(end - window_begin <= MAX_WINDOW_BYTES, "a window is too large")
            window_begin = end
