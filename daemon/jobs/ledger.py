"""What is committed already: answers from the store's manifests, so that no second record can disagree with them."""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping

import structlog

from weightzip.daemon.jobs.pinned import ContentKey
from weightzip.daemon.layouts.names import count_shapes, strip_numbers
from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.store.repository import CheckpointKey, Repository
from weightzip.errors import CorruptData, NotFound, UnsupportedVersion


class Ledger:
    """The committed checkpoints of one repository as this process knows them. Manifests are read when asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._repository: Repository | None = None
        self._keys: dict[str, CheckpointKey] = {}
        self._manifests: dict[str, Manifest | None] = {}
        self._last: Manifest | None = None
        self._hint: str | None = None
        self._pruned: set[tuple[str, ContentKey]] = set()
        self._log = structlog.get_logger("ledger")

    def open(self, repository: Repository) -> None:
        """Learn which checkpoints a repository holds; call again to learn anew. Raises StoreUnavailable."""
        keys = {key.key: key for key in repository.list_checkpoints()}
        with self._lock:
            self._repository = repository
            self._keys = keys
            self._manifests = {key: manifest for key, manifest in self._manifests.items() if key in keys}
            if (
                self._last is not None
                and CheckpointKey.of(self._last.step, self._last.identity).key not in keys
            ):
                self._last = None

    def add(self, manifest: Manifest) -> None:
        """Learn of a checkpoint that was just committed."""
        key = CheckpointKey.of(manifest.step, manifest.identity)
        last = self.last()
        with self._lock:
            self._keys[key.key] = key
            self._manifests[key.key] = manifest
            if last is None or find_save_time_ns(manifest) >= find_save_time_ns(last):
                self._last = manifest

    def remove(self, manifests: Iterable[Manifest]) -> None:
        """Learn of checkpoints that retention removed; their files may still lie on disk."""
        with self._lock:
            for manifest in manifests:
                self._keys.pop(CheckpointKey.of(manifest.step, manifest.identity).key, None)
                self._pruned.add((manifest.name, manifest_content(manifest)))
                if self._last is not None and self._last.identity == manifest.identity:
                    self._last = None

    def was_pruned(self, name: str, content: ContentKey) -> bool:
        """Say whether retention removed a checkpoint of this name with these files while this process ran."""
        with self._lock:
            return (name, content) in self._pruned

    def last(self) -> Manifest | None:
        """Return the committed checkpoint that was saved last: what the next one most likely resembles.

        By the time of its files, not by its step: a run may be set back, and a backlog is committed newest first.
        """
        with self._lock:
            last, hint = self._last, self._hint
        if last is None and hint is not None:
            last = self.find_identity(hint)
        return last if last is not None else self.newest()

    def hint_last(self, identity: str) -> None:
        """Learn which checkpoint an earlier process took for the last one."""
        with self._lock:
            self._hint = identity

    def count_since(self, manifest: Manifest) -> int:
        """Count the checkpoints of a higher step."""
        return sum(key.step > manifest.step for key in self.checkpoints())

    def checkpoints(self) -> tuple[CheckpointKey, ...]:
        """Return the committed checkpoints in ascending order of step."""
        with self._lock:
            return tuple(sorted(self._keys.values()))

    def find(self, name: str, step: int, content: ContentKey) -> Manifest | None:
        """Return the committed checkpoint of this name and step with these files (path, size, mtime), None if none is.

        Raises:
            StoreUnavailable: a manifest had to be read and could not.
        """
        with self._lock:
            keys = [key for key in self._keys.values() if key.step == step]
        for key in keys:
            manifest = self.load(key)
            if manifest is not None and manifest.name == name and manifest_content(manifest) == content:
                return manifest
        return None

    def newest(self) -> Manifest | None:
        """Return the committed checkpoint of the highest step whose manifest can be read."""
        for key in reversed(self.checkpoints()):
            manifest = self.load(key)
            if manifest is not None:
                return manifest
        return None

    def find_identity(self, identity: str) -> Manifest | None:
        """Return the committed checkpoint of an identity, None if it is not (any more) in the store."""
        for key in self.checkpoints():
            if identity.startswith(key.identity_prefix):
                manifest = self.load(key)
                if manifest is not None and manifest.identity == identity:
                    return manifest
        return None

    def load(self, key: CheckpointKey) -> Manifest | None:
        """Return a manifest, None if it is gone or damaged (logged once)."""
        with self._lock:
            repository = self._repository
            if key.key in self._manifests:
                return self._manifests[key.key]
        if repository is None:
            return None
        try:
            manifest: Manifest | None = repository.load(key)
        except (NotFound, CorruptData, UnsupportedVersion) as error:
            self._log.warning("manifest passed over", step=key.step, error=str(error))
            manifest = None
        with self._lock:
            self._manifests[key.key] = manifest
        return manifest

    def shapes(self) -> Mapping[str, Counter[str]]:
        """Return, per family of names, the file names (numbers replaced) of the newest checkpoint that was read."""
        with self._lock:
            manifests = [manifest for manifest in self._manifests.values() if manifest is not None]
        newest = sorted(manifests, key=lambda manifest: manifest.step)
        return {strip_numbers(m.name): count_shapes(entry.path for entry in m.files) for m in newest}


def find_save_time_ns(manifest: Manifest) -> int:
    """Return when a checkpoint was saved: the newest modification time of its files, 0 without files."""
    return max((entry.mtime_ns for entry in manifest.files), default=0)


def manifest_content(manifest: Manifest) -> ContentKey:
    """Return path, size and mtime of every file of a checkpoint, comparable with `content_key` of a sighting."""
    return tuple(sorted((entry.path, entry.size_bytes, entry.mtime_ns) for entry in manifest.files))
