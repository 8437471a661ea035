"""weightzip as a user calls it: file to file, with digests, verification and atomic publishing."""

import mmap
from collections.abc import Sequence
from pathlib import Path

from benchmarks.case import Case
from benchmarks.rival import Buffer
from weightzip import compress_file, decompress_file


class WeightzipFile:
    """`compress_file` and `decompress_file` in a folder (a memory file system, if the disk is not to count)."""

    n_threads = 1

    def __init__(self, folder: Path, *, verify: bool) -> None:
        self._folder = folder
        self._verify = verify
        self.name = "weightzip file, verified" if verify else "weightzip file"

    def accepts(self, case: Case) -> bool:
        """Accept every case."""
        return True

    def original(self, case: Case) -> bytes:
        """Return the whole file."""
        return case.shard.read_bytes()

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Compress the case's shard; `source` is not used."""
        archive = self._archive(case)
        compress_file(
            case.shard, archive, base=case.predecessor_shard, n_threads=1, verify=self._verify, force=True
        )
        return [_map_file(archive)]

    def store(self, encoded: Sequence[Buffer]) -> Sequence[Buffer]:
        """Return what was encoded: it is a file already."""
        return encoded

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Restore the file from the archive that `encode` left on disk."""
        target = self._folder / "restored"
        decompress_file(self._archive(case), target, base=case.predecessor_shard, n_threads=1, force=True)
        return [_map_file(target)]

    def _archive(self, case: Case) -> Path:
        return self._folder / f"{case.shard.stem}.{'verified' if self._verify else 'plain'}.wzst"


def _map_file(path: Path) -> memoryview:
    """Give a file's bytes without reading them: that is not part of what a user waits for."""
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
