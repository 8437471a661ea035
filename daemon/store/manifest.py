"""The manifest: the record that makes a checkpoint exist in a store. The model and its rules; no store here.

What a checkpoint *is* (`checkpoint`) is kept apart from how it is *encoded* (`encoding`): the first never changes,
the second may be written anew.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from weightzip.codec.format.limits import MAX_REFERENCES
from weightzip.daemon.checkpoint import (
    MAX_SAVE_TIME_SECONDS,
    ROOT_PATH,
    EntryKind,
    FileEntry,
    Tracker,
    checkpoint_identity,
)
from weightzip.daemon.store.document import Moment
from weightzip.daemon.store.layout import CheckpointKey
from weightzip.daemon.store.manifest_rules import (
    check_beside,
    check_entries,
    check_name,
    check_trackers,
    depth_by_digest,
)

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Size = Annotated[int, Field(ge=0, lt=1 << 62)]
MAX_ENTRIES = 200_000
MAX_MANIFEST_BYTES = 64 << 20
MAX_TRACKERS = 16


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ManifestEntry(_Model):
    """One file, directory or symlink of a checkpoint; see FileEntry for the fields."""

    path: str
    kind: EntryKind
    mode: Annotated[int, Field(ge=0, le=0o7777)]
    mtime_ns: Annotated[int, Field(ge=-(1 << 63), lt=1 << 63)]
    size_bytes: Size = 0
    digest: Digest | None = None
    target: Annotated[str, Field(max_length=4096)] | None = None
    twin_of: str | None = None

    @classmethod
    def of(cls, entry: FileEntry) -> "ManifestEntry":
        """Take over an entry that was read from a tree."""
        return cls(**vars(entry))

    def to_entry(self) -> FileEntry:
        """Return the same facts as the plain entry the rest of the code works with."""
        return FileEntry(**dict(self))


class ManifestTracker(_Model):
    """One tracker beside a checkpoint; see Tracker for the fields."""

    name: str
    kind: Literal["file", "symlink"]
    text: str
    mode: Annotated[int, Field(ge=0, le=0o7777)]
    mtime_ns: Annotated[int, Field(ge=-(1 << 63), lt=1 << 63)]

    @classmethod
    def of(cls, tracker: Tracker) -> "ManifestTracker":
        """Take over a tracker that was read beside a checkpoint."""
        return cls(**vars(tracker))

    def to_tracker(self) -> Tracker:
        """Return the same facts as the plain tracker the rest of the code works with."""
        return Tracker(**dict(self))


class Part(_Model):
    """What one node contributed to a checkpoint."""

    node: Annotated[int, Field(ge=0)]
    entries: Annotated[tuple[ManifestEntry, ...], Field(max_length=MAX_ENTRIES)]


class CheckpointRecord(_Model):
    """What a checkpoint is. `identity` covers the parts' paths, kinds, sizes, digests and link targets.

    The trackers stood beside it and name it; they are no part of it. `saved_at_seconds` (Unix time) is when the trainer
    saved it: the largest file's time when it was encoded.
    """

    name: str
    step: Annotated[int, Field(ge=0, lt=10**12)]
    saved_at_seconds: Annotated[int, Field(ge=0, le=MAX_SAVE_TIME_SECONDS)]
    identity: Digest
    # A restore of more than one part is not written yet.
    parts: Annotated[tuple[Part, ...], Field(min_length=1, max_length=1)]
    trackers: Annotated[tuple[ManifestTracker, ...], Field(max_length=MAX_TRACKERS)] = ()


class ArchiveRecord(_Model):
    """How one file is stored: the archive object, and the files it leans on, by digest.

    `predecessor_digest` is an earlier version of the file, `moved_digests` are other files of the predecessor, from which
    tensors moved into this one; `beside_digests` are files that were saved with it.
    """

    object_digest: Digest
    size_bytes: Size
    file_bytes: Size
    predecessor_digest: Digest | None = None
    moved_digests: Annotated[tuple[Digest, ...], Field(max_length=MAX_REFERENCES)] = ()
    beside_digests: Annotated[tuple[Digest, ...], Field(max_length=MAX_REFERENCES)] = ()

    @property
    def predecessor_digests(self) -> tuple[str, ...]:
        """Return the digests of all files of the predecessor that it leans on."""
        first = () if self.predecessor_digest is None else (self.predecessor_digest,)
        return (*first, *self.moved_digests)

    @property
    def needed_digests(self) -> tuple[str, ...]:
        """Return the digests of all files that it leans on."""
        return (*self.predecessor_digests, *self.beside_digests)


class Encoding(_Model):
    """How a checkpoint is stored: every archive that its restore needs, by the digest of the file it restores.

    The archives of the whole chain are named here, so that one manifest is enough to restore, and so that a
    predecessor checkpoint may be removed while its archives live on. `predecessor` is the identity of the
    checkpoint it was encoded against; nobody needs it to restore.
    """

    predecessor: Digest | None
    archives: Annotated[dict[Digest, ArchiveRecord], Field(max_length=MAX_ENTRIES)]


class Manifest(_Model):
    """One published checkpoint."""

    format: Literal["weightzip-checkpoint"] = "weightzip-checkpoint"
    version: Literal[1] = 1
    run_id: str
    weightzip_version: str
    created_at: Moment
    checkpoint: CheckpointRecord
    encoding: Encoding

    @model_validator(mode="after")
    def _check(self) -> "Manifest":
        check_name(self.checkpoint.name)
        if [part.node for part in self.checkpoint.parts] != list(range(len(self.checkpoint.parts))):
            raise ValueError("parts are not numbered 0, 1, ...")
        by_node = [[entry.to_entry() for entry in part.entries] for part in self.checkpoint.parts]
        for entries in by_node:
            check_entries(entries)
        check_trackers(self.trackers, self.name, self.step)
        if self.checkpoint.identity != checkpoint_identity(by_node):
            raise ValueError("the identity is not that of the entries")
        for entry in self.files:
            archive = self.encoding.archives.get(entry.digest or "")
            if archive is None or archive.file_bytes != entry.size_bytes:
                raise ValueError(f"no archive of the right size restores {entry.path!r}")
        _ = self.chain_depth
        return self

    @property
    def name(self) -> str:
        """Return the name under which the checkpoint reappears in a target directory."""
        return self.checkpoint.name

    @property
    def step(self) -> int:
        """Return the training step."""
        return self.checkpoint.step

    @property
    def identity(self) -> str:
        """Return the checkpoint's identity in hex."""
        return self.checkpoint.identity

    @property
    def saved_at_seconds(self) -> int:
        """Return when the trainer saved the checkpoint, in Unix time."""
        return self.checkpoint.saved_at_seconds

    @property
    def checkpoint_key(self) -> CheckpointKey:
        """Return the place of this manifest in the store, which also tells its place in the order of saving."""
        return CheckpointKey.of(self.saved_at_seconds, self.step, self.identity)

    @cached_property
    def entries(self) -> tuple[FileEntry, ...]:
        """Return the entries of all parts."""
        return tuple(entry.to_entry() for part in self.checkpoint.parts for entry in part.entries)

    @cached_property
    def files(self) -> tuple[FileEntry, ...]:
        """Return the entries that are files."""
        return tuple(entry for entry in self.entries if entry.kind == "file")

    @cached_property
    def trackers(self) -> tuple[Tracker, ...]:
        """Return the trackers that stood beside the checkpoint, as they name it."""
        return tuple(tracker.to_tracker() for tracker in self.checkpoint.trackers)

    @property
    def raw_bytes(self) -> int:
        """Return the size of all files together."""
        return sum(entry.size_bytes for entry in self.files)

    @property
    def stored_bytes(self) -> int:
        """Return the size of the archives of this checkpoint's own files, each counted once."""
        digests = {entry.digest for entry in self.files}
        return sum(
            archive.size_bytes for digest, archive in self.encoding.archives.items() if digest in digests
        )

    @property
    def object_digests(self) -> frozenset[str]:
        """Return the digests of all archive objects this checkpoint needs, its chain included."""
        return frozenset(archive.object_digest for archive in self.encoding.archives.values())

    @cached_property
    def chain_depth(self) -> int:
        """Return the residual steps from this checkpoint's deepest file back to its keyframe; 0 for a keyframe."""
        return max(self._depths.values(), default=0)

    def find_file(self, path: str) -> FileEntry | None:
        """Return the file at a path; a checkpoint that is one file is found as `.` and by its name."""
        for entry in self.files:
            if path == entry.path or (entry.path == ROOT_PATH and path == self.name):
                return entry
        return None

    def find_chain_depth(self, file_digest: str) -> int:
        """Return the residual steps from a file back to its keyframe."""
        return self._depths[file_digest]

    def list_needed(self, file_digest: str) -> dict[str, ArchiveRecord]:
        """Return the archives that restore a file, by digest of what each restores: what is leaned on comes first."""
        return list_needed(self.encoding.archives, file_digest)

    @cached_property
    def _depths(self) -> dict[str, int]:
        """Return how deep the chain of each file is, all of them proven to end."""
        archives = self.encoding.archives
        predecessors = {digest: archive.predecessor_digests for digest, archive in archives.items()}
        depths = depth_by_digest(predecessors)
        check_beside(predecessors, {digest: archive.beside_digests for digest, archive in archives.items()})
        return depths


def list_needed(archives: Mapping[str, ArchiveRecord], file_digest: str) -> dict[str, ArchiveRecord]:
    """Return those of `archives` that restore a file, in an order in which each leans on earlier ones only."""
    needed: dict[str, ArchiveRecord] = {}
    _add_needed(needed, archives, file_digest)
    return needed


def _add_needed(needed: dict[str, ArchiveRecord], archives: Mapping[str, ArchiveRecord], digest: str) -> None:
    """Add an archive after those that it leans on. No way is longer than two chains: see check_beside."""
    if digest not in needed:
        for other in archives[digest].needed_digests:
            _add_needed(needed, archives, other)
        needed[digest] = archives[digest]
