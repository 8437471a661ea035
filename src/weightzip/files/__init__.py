"""Compress, restore and verify single files; open an archive for random access."""

import os
from collections.abc import Mapping
from typing import Any, BinaryIO

from weightzip.codec.predecessor import Predecessor
from weightzip.codec.reader import Archive
from weightzip.files.reports import CompressReport, DecompressReport, Progress, StreamReport, VerifyReport

PathLike = str | os.PathLike[str]
Base = PathLike | Archive | Predecessor


def compress_file(
    source: PathLike,
    target: PathLike,
    *,
    base: Base | None = None,
    n_threads: int = 0,
    verify: bool = True,
    force: bool = False,
    progress: Progress | None = None,
) -> CompressReport:
    """Compress one file into an archive, published only when it is complete (and, with verify, proven).

    `base` is the predecessor: a raw file, an archive (path or open), or any Predecessor. `n_threads` 0 uses all cores.
    Mode and modification time of the source are put on the archive.

    Raises:
        TargetExists: the target is there and force is False.
        SourceChanged: the source changed while it was read.
        VerificationFailed: the archive does not restore to the source.
        DiskFull: no space left; the temporary file is gone.
    """
    raise NotImplementedError


def decompress_file(
    archive: PathLike,
    target: PathLike,
    *,
    base: Base | None = None,
    n_threads: int = 0,
    force: bool = False,
    progress: Progress | None = None,
) -> DecompressReport:
    """Restore the file of an archive, published only when its digest is the recorded one.

    Raises:
        MissingPredecessor, WrongPredecessor: the archive leans on a predecessor that `base` is not.
        CorruptData: the archive is damaged.
        TargetExists, DiskFull: as in compress_file.
    """
    raise NotImplementedError


def verify_file(
    original: PathLike,
    archive: PathLike,
    *,
    base: Base | None = None,
    n_threads: int = 0,
    progress: Progress | None = None,
) -> VerifyReport:
    """Prove that an archive restores to exactly the bytes of original, writing nothing.

    Raises:
        VerificationFailed: the archive is sound but holds another file.
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    raise NotImplementedError


def check_archive(
    archive: PathLike, *, base: Base | None = None, n_threads: int = 0, progress: Progress | None = None
) -> VerifyReport:
    """Prove that an archive restores to its recorded digest, writing nothing.

    Raises:
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    raise NotImplementedError


def open_archive(
    url_or_file: PathLike, *, base: Base | None = None, storage_options: Mapping[str, Any] | None = None
) -> Archive:
    """Open an archive on disk or at any fsspec URL for random access.

    Over a network this reads the footer and the index; each tensor then costs one ranged read per contiguous run
    of its frames.

    Raises:
        CorruptData, TruncatedData, UnsupportedVersion: this is no sound archive.
        NotFound: there is nothing at that place.
    """
    raise NotImplementedError


def decompress_stream(
    reader: BinaryIO, writer: BinaryIO, *, base: Base | None = None, n_threads: int = 0
) -> StreamReport:
    """Restore an archive forward from a pipe, in bounded memory.

    Bytes reach the writer frame by frame, each proven by its checksum; the digest of the whole is proven at the end.
    A reader of the output must wait for this to return before it trusts that the output is complete.

    Raises:
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    raise NotImplementedError
