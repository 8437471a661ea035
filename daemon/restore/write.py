"""Write the tree of a checkpoint: directories, files decoded and proven, links, then modes and times, then fsync."""

import os
import shutil
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

from weightzip.codec.predecessor import FilePredecessor, Predecessor
from weightzip.codec.reader import Archive
from weightzip.daemon.checkpoint import FileEntry, entry_order, resolve_entry_path
from weightzip.daemon.disk import sync_path
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.chain import open_archives
from weightzip.daemon.restore.fetch import ObjectFetcher
from weightzip.daemon.store.manifest import ArchiveRecord, Manifest
from weightzip.errors import CorruptData
from weightzip.files import decompress_file
from weightzip.files.opening import open_alone

# One is fetched while the other is decoded, which uses all cores by itself.
_FILES_AT_ONCE = 2
# A file from a store must not come back with the rights of its owner or group.
_FILE_MODE_MASK = 0o777
_DIRECTORY_MODE_MASK = 0o3777

OnBytes = Callable[[int], None]


class TreeWriter:
    """Write one checkpoint below a private directory; nothing is visible under its own name yet."""

    def __init__(
        self,
        manifest: Manifest,
        root: Path,
        cache: ObjectCache,
        fetcher: ObjectFetcher,
        n_threads: int,
        on_bytes: OnBytes,
    ) -> None:
        self._manifest = manifest
        self._root = root
        self._cache = cache
        self._fetcher = fetcher
        self._n_threads = n_threads
        self._on_bytes = on_bytes
        self._lock = threading.Lock()
        self._path_of = {
            entry.digest or "": self._path(entry) for entry in manifest.files if entry.twin_of is None
        }

    def write(self, usable: Mapping[str, Path]) -> None:
        """Write everything; files in `usable` are linked from where they lie instead of being decoded.

        Links in the tree are created last and every parent is a directory of the manifest (its rules see to that),
        so nothing is ever written through a link.

        Raises:
            CorruptData, NotFound, MissingPredecessor, WrongPredecessor: the checkpoint is damaged.
            DiskFull, StoreUnavailable: it may work later.
        """
        entries = sorted(self._manifest.entries, key=entry_order)
        for entry in entries:
            if entry.kind == "directory":
                self._path(entry).mkdir(mode=0o700)
        # A file that leans on another one beside it takes that one's bytes from disk instead of decoding them again.
        files = sorted(
            (file for file in self._manifest.files if file.twin_of is None), key=self._leans_on_others
        )
        with ThreadPoolExecutor(_FILES_AT_ONCE, thread_name_prefix="restore") as pool:
            for _, group in groupby(files, self._leans_on_others):
                for _ in pool.map(lambda entry: self._write_file(entry, usable), group):
                    pass
        for entry in entries:
            if entry.kind == "symlink":
                self._path(entry).symlink_to(entry.target or "")
            elif entry.twin_of is not None:
                self._link_twin(entry, resolve_entry_path(self._root, entry.twin_of))
        # Children before their directory: writing into it changes its time, and its mode may forbid it.
        for entry in reversed(entries):
            self._finish(entry)

    def _write_file(self, entry: FileEntry, usable: Mapping[str, Path]) -> None:
        path = self._path(entry)
        if entry.path in usable:
            try:
                os.link(usable[entry.path], path)
            except OSError:
                shutil.copyfile(usable[entry.path], path)
        else:
            self._decode_file(entry, path)
        self._count(entry.size_bytes)

    def _link_twin(self, entry: FileEntry, first: Path) -> None:
        try:
            os.link(first, self._path(entry))
        except OSError:  # a file system without hard links
            shutil.copyfile(first, self._path(entry))
        self._count(entry.size_bytes)

    def _decode_file(self, entry: FileEntry, path: Path) -> None:
        record = self._find_record(entry)
        # What an unchanged file leans on may have changed, and is then only in its archive.
        restored = [digest for digest in record.beside_digests if digest in self._path_of]
        needed: dict[str, ArchiveRecord] = {}
        for digest in record.needed_digests:
            if digest not in restored:
                needed |= self._manifest.list_needed(digest)
        with self._fetcher.hold([*needed.values(), record], self._cache) as paths, ExitStack() as stack:
            archive = paths[record.object_digest]
            _check_size(archive, entry)
            opened: dict[str, Archive | Predecessor] = {**open_archives(needed, paths, stack)}
            opened |= {digest: self._open_restored(digest, stack) for digest in restored}
            report = decompress_file(
                archive,
                path,
                beside=[opened[digest] for digest in record.needed_digests],
                n_threads=self._n_threads,
            )
        if report.file_digest != entry.digest:
            raise CorruptData(
                f"archive object {record.object_digest} restores a file with digest {report.file_digest}, "
                f"the manifest promises {entry.digest} for {entry.path!r}"
            )

    def _open_restored(self, digest: str, stack: ExitStack) -> Predecessor:
        file = FilePredecessor(self._path_of[digest], digest=bytes.fromhex(digest))
        stack.callback(file.close)
        return file

    def _find_record(self, entry: FileEntry) -> ArchiveRecord:
        return self._manifest.encoding.archives[entry.digest or ""]

    def _leans_on_others(self, entry: FileEntry) -> bool:
        return bool(self._find_record(entry).beside_digests)

    def _finish(self, entry: FileEntry) -> None:
        path = self._path(entry)
        if entry.kind == "symlink":
            os.utime(path, ns=(entry.mtime_ns, entry.mtime_ns), follow_symlinks=False)
            return
        mask = _DIRECTORY_MODE_MASK if entry.kind == "directory" else _FILE_MODE_MASK
        os.utime(path, ns=(entry.mtime_ns, entry.mtime_ns))
        sync_path(path)
        path.chmod(entry.mode & mask)

    def _count(self, n_bytes: int) -> None:
        with self._lock:
            self._on_bytes(n_bytes)

    def _path(self, entry: FileEntry) -> Path:
        return resolve_entry_path(self._root, entry.path)


def _check_size(archive: Path, entry: FileEntry) -> None:
    """Compare what an archive would restore to with what was published, before it can fill the disk."""
    with open_alone(archive) as opened:
        file_bytes = opened.index.file_bytes
    if file_bytes != entry.size_bytes:
        raise CorruptData(
            f"{archive} restores {file_bytes} bytes, the manifest promises {entry.size_bytes} for {entry.path!r}"
        )
