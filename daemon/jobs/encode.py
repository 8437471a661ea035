"""From a checkpoint on disk to archives in a work directory, ready to be published. No store is asked here."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from weightzip.codec.predecessor import Predecessor
from weightzip.daemon.checkpoint import FileEntry, TreeEntry
from weightzip.daemon.store.encoded import EncodedCheckpoint
from weightzip.daemon.store.manifest import Manifest
from weightzip.files.reports import Progress


class PredecessorFiles(Protocol):
    """A published checkpoint whose files can be read as predecessors.

    See RawPredecessor (a pinned tree) and StoredPredecessor (archives in a cache) beside this file.
    """

    @property
    def manifest(self) -> Manifest:
        """Return the manifest of the checkpoint."""

    def open_file(self, entry: FileEntry) -> AbstractContextManager[Predecessor]:
        """Open one of its files for random access to the raw bytes."""


def encode_checkpoint(
    name: str,
    step: int,
    root: Path,
    *,
    workdir: Path,
    entries: Sequence[TreeEntry] | None = None,
    predecessor: PredecessorFiles | None = None,
    n_threads: int = 0,
    verify: bool = True,
    progress: Progress | None = None,
) -> EncodedCheckpoint:
    """Compress every file of the checkpoint at `root` into `workdir`, against the predecessor's file of its path.

    `entries` tells the attributes to record when `root` is a pinned copy whose directories are not the
    originals; default is a scan of `root`. Files that the predecessor (or its chain) holds already make no archive.
    Run it again with the same `workdir` after an interruption: archives that still fit are taken over.
    `progress` counts raw bytes over all files.

    Raises:
        SourceChanged: a file changed, vanished or differs from `entries`: settle again, then retry.
        UsageError: the checkpoint holds something that is no file, directory or link.
        DiskFull, VerificationFailed, WrongPredecessor: as in compress_file.
    """
    raise NotImplementedError
