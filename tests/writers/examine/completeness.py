"""How surely the watcher tells a whole checkpoint from one that is not: cut files, missing files. The clock is a number."""

import os
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from weightzip.daemon.layouts import Sighting, choose_layouts
from weightzip.daemon.watch.watcher import Finding, Watcher
from writers.examine.relations import Count

QUIET_SECONDS = 10.0
_SOON, _LATE = QUIET_SECONDS, 1000.0
# Files whose end no format shows: text, and what is too small to hold a tensor.
_STRUCTURED_BYTES = 1024
_TEXT_SUFFIXES = {".txt", ".yaml", ".json"}


@dataclass(frozen=True)
class Completeness:
    """When the newest checkpoint counts as whole, and how many damages are seen, however long one waits."""

    layout: str
    whole_after: str
    cut: Count
    missing: Count


def examine_completeness(watched: Path, names: Sequence[str], work: Path, n_cuts: int) -> Completeness:
    """Judge the newest checkpoint in a copy of the watched folder, whole and cut; the others count as committed.

    Then one with another after it, each of its files deleted in turn, as rotation does. `names` are those of the
    checkpoints, the newest last.
    """
    root = work / "watched"
    shutil.copytree(watched, root, symlinks=True)
    judge = _Judge(root, names[-1])
    whole_after = "quiet" if judge.is_whole(_SOON) else "long quiet" if judge.is_whole(_LATE) else "never"
    dice = random.Random(names[-1])
    shards = _list_shards(root / names[-1])
    n_cut = 0
    for _ in range(n_cuts):
        path = dice.choice(shards)
        data = path.read_bytes()
        # What is cut off the zeros at the end of a tar file leaves everything in it whole.
        with _damaged(path, data[: dice.randrange(len(data.rstrip(b"\0")))]):
            n_cut += not judge.is_whole(_LATE)
    older = _Judge(root, names[-2])
    shards = _list_shards(root / names[-2])
    n_missing = 0
    for path in shards:
        with _damaged(path, None):
            n_missing += not older.is_whole(_LATE)
    layout = judge.find(_SOON).layout
    return Completeness(layout, whole_after, Count(n_cut, n_cuts), Count(n_missing, len(shards)))


class _Judge:
    """Asks a fresh watcher about one candidate."""

    def __init__(self, root: Path, name: str) -> None:
        self._root = root
        self._name = name

    def is_whole(self, seconds: float) -> bool:
        """Return whether the candidate counts as complete after so many seconds without any change."""
        return any(finding.sighting.name == self._name for finding in self._look(seconds))

    def find(self, seconds: float) -> Finding:
        """Return what the watcher says of the candidate."""
        watcher = self._make_watcher()
        watcher.look(0.0, {})
        findings = watcher.look(seconds, {}).findings
        return next(one for one in findings if one.sighting.name == self._name)

    def _look(self, seconds: float) -> Sequence[Finding]:
        watcher = self._make_watcher()
        watcher.look(0.0, {})
        return watcher.look(seconds, {}).complete

    def _make_watcher(self) -> Watcher:
        def find_handling(sighting: Sighting, step: int) -> str | None:
            return None if sighting.name == self._name else "committed"

        return Watcher(
            self._root,
            choose_layouts("auto"),
            quiet_seconds=QUIET_SECONDS,
            ignore=(),
            trust_kernel=True,
            find_handling=find_handling,
        )


@contextmanager
def _damaged(path: Path, data: bytes | None) -> Iterator[None]:
    """Cut a file, or remove it, for the length of the block. Times stay: they must not be what gives it away."""
    status, whole = path.stat(), path.read_bytes()
    folder = path.parent.stat()
    times = [(path.parent, folder.st_mtime_ns), (path, status.st_mtime_ns)]
    try:
        if data is None:
            path.unlink()
        else:
            path.write_bytes(data)
        _set_times(times)
        yield
    finally:
        path.write_bytes(whole)
        path.chmod(status.st_mode)
        _set_times(times)


def _set_times(times: Sequence[tuple[Path, int]]) -> None:
    for path, mtime_ns in times:
        if path.exists():
            os.utime(path, ns=(mtime_ns, mtime_ns))


def _list_shards(checkpoint: Path) -> list[Path]:
    files = [checkpoint] if checkpoint.is_file() else sorted(checkpoint.rglob("*"))
    return [
        path
        for path in files
        if path.is_file() and path.suffix not in _TEXT_SUFFIXES and path.stat().st_size >= _STRUCTURED_BYTES
    ]
