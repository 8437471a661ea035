"""weightzip as a user calls it: file to file, with digests, verification and atomic publishing."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.case import Case
from benchmarks.rival import Buffer
from weightzip import compress_file, decompress_file


class WeightzipFile:
    """`compress_file` and `decompress_file` in a folder (a memory file system, if the disk is not to count)."""

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
        archive = self._folder / "archive.wzst"
        compress_file(
            case.shard, archive, base=case.predecessor_shard, n_threads=1, verify=self._verify, force=True
        )
        return [archive.read_bytes()]

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Restore the file."""
        archive, target = self._folder / "encoded.wzst", self._folder / "restored"
        archive.write_bytes(encoded[0])
        decompress_file(archive, target, base=case.predecessor_shard, n_threads=1, force=True)
        return [target.read_bytes()]
