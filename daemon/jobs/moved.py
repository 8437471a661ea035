"""Finds the files of a published predecessor from which tensors moved into other files."""

from collections.abc import Sequence
from contextlib import ExitStack

from weightzip.codec.format.layout import TensorRange
from weightzip.codec.joining.earlier_tensors import Tensors
from weightzip.codec.predecessor import Predecessor
from weightzip.daemon.checkpoint import FileEntry
from weightzip.daemon.jobs.predecessor import PredecessorFiles
from weightzip.files.earlier import EarlierFiles


class MovedFinder:
    """Looks through the files of one predecessor for all files of a checkpoint."""

    def __init__(self, predecessor: PredecessorFiles) -> None:
        self._predecessor = predecessor
        self._entries = {entry.path: entry for entry in predecessor.manifest.files}
        self._earlier = EarlierFiles(self._entries, self._read_tensors)

    def open_moved(
        self, path: str, partner: FileEntry | None, opened: ExitStack, lacking: Sequence[TensorRange]
    ) -> list[Predecessor]:
        """Open the files that hold tensors of the file at `path` which its partner lacks; they close with the stack."""
        known = partner.path if partner is not None else None
        paths = self._earlier.find_moved(lacking, near=path, known=known)
        return [opened.enter_context(self._predecessor.open_file(self._entries[path])) for path in paths]

    def _read_tensors(self, path: str) -> Tensors:
        return self._predecessor.read_tensors(self._entries[path])
