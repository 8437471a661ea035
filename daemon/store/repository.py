"""A run's checkpoints in a store: which exist, how one is read and removed. Publishing has its own file."""

from collections.abc import Collection
from contextlib import suppress

from weightzip.daemon.store.document import decode_document
from weightzip.daemon.store.encoded import EncodedCheckpoint
from weightzip.daemon.store.layout import (
    CHECKPOINTS_PREFIX,
    MAX_STEP_DIGITS,
    CheckpointKey,
    parse_checkpoint_key,
)
from weightzip.daemon.store.manifest import MAX_MANIFEST_BYTES, Manifest
from weightzip.daemon.store.protocol import Store
from weightzip.daemon.store.publish import DEFAULT_UPLOADS, PublishReport, publish_checkpoint
from weightzip.daemon.store.record import Fencing, check_run, create_record, probe_fencing, read_record
from weightzip.errors import CorruptData, NotFound, UnsupportedVersion

LATEST = "latest"


class Repository:
    """One run's checkpoints in a store. Safe to use from several threads.

    `fencing` tells whether the store keeps two writers apart; None when opened for reading only.
    """

    def __init__(self, store: Store, run_id: str, fencing: Fencing | None = None) -> None:
        self.store = store
        self.run_id = run_id
        self.fencing = fencing

    @classmethod
    def open(cls, store: Store, *, run_id: str | None = None, create: bool = False) -> "Repository":
        """Open the repository in a store; with `create`, for writing: it is made if absent and fencing is probed.

        `run_id` None accepts the run that is there; a new repository then gets a random one.

        Raises:
            NotFound: there is no repository and `create` is False.
            StoreConflict: it belongs to a run other than `run_id`.
            CorruptData, UnsupportedVersion: the store's own record is damaged or newer than this program.
        """
        record = create_record(store, run_id) if create else read_record(store)
        check_run(record, run_id, store.url)
        return cls(store, record.run_id, probe_fencing(store) if create else None)

    def list_checkpoints(self) -> tuple[CheckpointKey, ...]:
        """Return the published checkpoints in the order in which they were saved, from one listing."""
        keys = (parse_checkpoint_key(item.key) for item in self.store.list_objects(CHECKPOINTS_PREFIX))
        return tuple(sorted(key for key in keys if key is not None))

    def find(self, selector: str | int) -> CheckpointKey:
        """Return the checkpoint of a step, of a name, or `latest`.

        Of several the one that was saved last is meant, whatever the steps say and whenever it was published.

        Raises:
            NotFound: there is no such checkpoint.
        """
        checkpoints = self.list_checkpoints()
        if selector == LATEST:
            wanted = list(checkpoints)
        elif isinstance(selector, int) or (selector.isdecimal() and len(selector) <= MAX_STEP_DIGITS):
            wanted = [key for key in checkpoints if key.step == int(selector)]
        else:
            wanted = self._find_name(selector, checkpoints)
        if not wanted:
            known = ", ".join(str(key.step) for key in checkpoints[-5:]) or "none at all"
            raise NotFound(
                f"{self.store.url} holds no checkpoint {selector!r}; the newest steps are: {known}"
            )
        return wanted[-1]

    def load(self, checkpoint: CheckpointKey | str | int) -> Manifest:
        """Read and check the manifest of a checkpoint (see `find` for selectors).

        A manifest that speaks of another checkpoint or another run than its place does counts as damaged.

        Raises:
            NotFound: there is no such checkpoint.
            CorruptData, UnsupportedVersion: its manifest is damaged or newer than this program.
        """
        key = checkpoint if isinstance(checkpoint, CheckpointKey) else self.find(checkpoint)
        place = f"{self.store.url}/{key.key}"
        manifest = decode_document(self.store.read_bytes(key.key, MAX_MANIFEST_BYTES), Manifest, place)
        if manifest.checkpoint_key != key:
            raise CorruptData(
                f"{place} holds the manifest of another checkpoint, {manifest.checkpoint_key.key}"
            )
        if manifest.run_id != self.run_id:
            raise CorruptData(
                f"{place} was written by run {manifest.run_id!r}, this store is {self.run_id!r}'s"
            )
        return manifest

    def load_all(self, *, skip: Collection[CheckpointKey] = ()) -> tuple[Manifest, ...]:
        """Read all manifests but those of `skip`, in the order in which the checkpoints were saved.

        Raises:
            CorruptData, UnsupportedVersion: as in `load`; one bad manifest is enough.
        """
        manifests = []
        for key in self.list_checkpoints():
            if key in skip:
                continue
            with suppress(NotFound):  # removed since it was listed, or the listing lags
                manifests.append(self.load(key))
        return tuple(manifests)

    def publish(self, encoded: EncodedCheckpoint, *, n_uploads: int = DEFAULT_UPLOADS) -> PublishReport:
        """Send the archives the store lacks, then the manifest: from then on the checkpoint exists.

        Call it again after a failure: what arrived is not sent again. Archives may be removed from the work
        directory when this returns. `n_uploads` objects are sent at the same time.

        Raises:
            StoreConflict: another writer put something else under this manifest's key.
            NotFound: an archive of a predecessor is gone from the store: encode as a keyframe.
            StoreVanished: the store's own record is gone; nothing was written.
        """
        return publish_checkpoint(self.store, self.run_id, encoded, n_uploads)

    def remove(self, checkpoint: CheckpointKey) -> None:
        """Remove a checkpoint's manifest; its archives stay until `keeper` finds them unreferenced."""
        self.store.delete(checkpoint.key)

    def _find_name(self, name: str, checkpoints: tuple[CheckpointKey, ...]) -> list[CheckpointKey]:
        for key in reversed(checkpoints):
            try:
                if self.load(key).name == name:
                    return [key]
            except (CorruptData, UnsupportedVersion, NotFound):
                continue  # it tells no name; `verify` names the damage
        return []
