"""Every error weightzip raises on purpose, in one tree, with its exit code and the way out.

Nothing else lives here: no formatting for terminals, no logging, no retry.
"""

from typing import ClassVar

_GIVE_MORE = (
    "pass the file whose digest the message names, or an archive of it, with --base FILE or --beside FILE; for a "
    "directory, --base DIR with the directory that holds it; both may be given several times"
)


class WeightzipError(Exception):
    """Base class: catch this to catch everything weightzip raises on purpose.

    `exit_code` is what the command line exits with, `retryable` says whether the same call may succeed later,
    `hint` is the next step for a person (empty when the message says it all).
    """

    exit_code: ClassVar[int] = 1
    retryable: ClassVar[bool] = False
    hint: ClassVar[str] = ""


class UsageError(WeightzipError):
    """The request itself makes no sense: contradictory options, a target that exists, an invalid configuration."""

    exit_code = 2


class TargetExists(UsageError):
    """The output is already there and overwriting was not asked for."""

    hint = "pass --force (in Python force=True) to replace it"


class CorruptData(WeightzipError):
    """The bytes contradict the format or their own checksum."""

    exit_code = 3
    hint = "fetch the file again, or restore an older checkpoint"


class TruncatedData(CorruptData):
    """The bytes end before the format says they may."""


class NotAnArchive(CorruptData):
    """The file does not begin as an archive does: it never was one, or its beginning is damaged."""

    hint = "if it never was an archive, make one of it with `weightzip compress`; if it was, fetch it again"


class UnsupportedVersion(WeightzipError):
    """The file was written by a newer weightzip."""

    exit_code = 3
    hint = "upgrade weightzip"


class VerificationFailed(WeightzipError):
    """Decoded bytes differ from the original: nothing was published."""

    exit_code = 3
    hint = "this points to faulty memory or a bug in weightzip: please report it"


class ContentDiffers(VerificationFailed):
    """An archive is sound, but holds other bytes than the file it was compared with."""

    hint = "the file has changed since, or the archive is that of another file"


class MissingPredecessor(WeightzipError):
    """An archive leans on a predecessor that was not given or cannot be reached."""

    exit_code = 6
    hint = _GIVE_MORE


class WrongPredecessor(WeightzipError):
    """The predecessor that was given is not the one the archive was made against."""

    exit_code = 6
    hint = _GIVE_MORE


class SourceChanged(WeightzipError):
    """A file changed while it was read: the attempt is abandoned, nothing was published."""

    exit_code = 7
    retryable = True


class DiskFull(WeightzipError):
    """The disk or a quota is full; what was half-written has been removed."""

    exit_code = 8
    retryable = True
    hint = "free some space and run the same command again"


class DiskUnusable(WeightzipError):
    """A local disk refuses for another reason than its size: missing rights, read-only, a directory gone, failing."""

    retryable = True


class StoreUnavailable(WeightzipError):
    """The store cannot be reached or refuses to work for now."""

    exit_code = 9
    retryable = True
    hint = "check the URL, the credentials and the network, then run the same command again"


class StoreVanished(StoreUnavailable):
    """The store was there before and is gone: a mount or a bucket is missing, and no new store is begun in its place."""

    hint = "mount the store again, or correct its URL"


class NotFound(WeightzipError):
    """The store, the checkpoint or the file asked for does not exist."""

    exit_code = 10


class StoreConflict(WeightzipError):
    """Another run or another writer owns what this one wants to write."""

    exit_code = 11
    hint = "give each run its own store prefix"


class DirectoryInUse(StoreConflict):
    """Another process of ours works in the same local directory."""

    hint = "wait until the other process has ended, or stop it"
