"""A run's checkpoints in a store: which exist, how one is read, published and removed. Keys are fixed here.

weightzip-store.json                                 format, version, run_id; created once
objects/<aa>/<archive digest>.wzst                   archives, by content
checkpoints/<step, 12 digits>-<identity, 16>.json    one manifest a checkpoint, written last
"""

from dataclasses import dataclass

from weightzip.daemon.store.encoded import EncodedCheckpoint
from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.store.protocol import Store
from weightzip.files.reports import Progress


@dataclass(frozen=True)
class Fencing:
    """Whether the store refuses the second of two writers of one key, as a probe found; `reason` says how we know."""

    fenced: bool
    reason: str


@dataclass(frozen=True, order=True)
class CheckpointKey:
    """A published checkpoint as its key tells it: no manifest was read. Orders by step."""

    step: int
    identity_prefix: str

    @property
    def key(self) -> str:
        """Return the key of its manifest in the store."""
        raise NotImplementedError


@dataclass(frozen=True)
class PublishReport:
    """What publishing one checkpoint took. `created` is False when the very same was published before."""

    manifest: Manifest
    created: bool
    n_sent_objects: int
    sent_bytes: int
    n_reused_objects: int


class Repository:
    """One run's checkpoints in a store. Safe to use from several threads."""

    store: Store
    run_id: str
    fencing: Fencing | None  # None when opened for reading only

    @classmethod
    def open(cls, store: Store, *, run_id: str | None = None, create: bool = False) -> "Repository":
        """Open the repository in a store; with `create`, for writing: it is made if absent and fencing is probed.

        `run_id` None accepts the run that is there; a new repository then gets a random one.

        Raises:
            NotFound: there is no repository and `create` is False.
            StoreConflict: it belongs to a run other than `run_id`.
            CorruptData, UnsupportedVersion: the store's own record is damaged or newer than this program.
        """
        raise NotImplementedError

    def list_checkpoints(self) -> tuple[CheckpointKey, ...]:
        """Return the published checkpoints in ascending order of step, from one listing."""
        raise NotImplementedError

    def find(self, selector: str | int) -> CheckpointKey:
        """Return the checkpoint of a step, of a name, or `latest` (the highest step).

        Of several checkpoints of one step the one published last is meant.

        Raises:
            NotFound: there is no such checkpoint.
        """
        raise NotImplementedError

    def load(self, checkpoint: CheckpointKey | str | int) -> Manifest:
        """Read and check the manifest of a checkpoint (see `find` for selectors).

        Raises:
            NotFound: there is no such checkpoint.
            CorruptData, UnsupportedVersion: its manifest is damaged or newer than this program.
        """
        raise NotImplementedError

    def publish(self, encoded: EncodedCheckpoint, *, progress: Progress | None = None) -> PublishReport:
        """Send the archives the store lacks, then the manifest: from then on the checkpoint exists.

        Call it again after a failure: what arrived is not sent again. Archives may be removed from the work
        directory when this returns.

        Raises:
            StoreConflict: another writer published other content under this manifest's key.
            NotFound: an archive of a predecessor is gone from the store: encode as a keyframe.
        """
        raise NotImplementedError

    def remove(self, checkpoint: CheckpointKey) -> None:
        """Remove a checkpoint's manifest; its archives stay until `keeper` finds them unreferenced."""
        raise NotImplementedError
