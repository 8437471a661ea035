"""What is committed already: answers from the store's manifests, so that no second record can disagree with them."""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

import structlog

from weightzip.daemon.checkpoint import ROOT_PATH
from weightzip.daemon.jobs.pinned import ContentKey
from weightzip.daemon.layouts import FileSighting, Sighting
from weightzip.daemon.layouts.names import count_shapes, strip_numbers
from weightzip.daemon.store.layout import CheckpointKey
from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.store.repository import Repository
from weightzip.errors import CorruptData, NotFound, UnsupportedVersion


class Ledger:
    """The committed checkpoints of one repository as this process knows them. Manifests are read when asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._repository: Repository | None = None
        self._keys: dict[str, CheckpointKey] = {}
        self._manifests: dict[str, Manifest | None] = {}
        self._seen: dict[str, Sighting] = {}
        self._copies: dict[tuple[str, int, ContentKey], str] = {}
        self._pruned: set[tuple[str, ContentKey]] = set()
        self._log = structlog.get_logger("ledger")

    def open(self, repository: Repository) -> None:
        """Learn which checkpoints a repository holds; call again to learn anew. Raises StoreUnavailable."""
        keys = {key.key: key for key in repository.list_checkpoints()}
        with self._lock:
            self._repository = repository
            self._keys = keys
            self._manifests = {key: manifest for key, manifest in self._manifests.items() if key in keys}

    def add(self, manifest: Manifest) -> None:
        """Learn of a checkpoint that was just committed."""
        key = manifest.checkpoint_key
        with self._lock:
            self._keys[key.key] = key
            self._manifests[key.key] = manifest

    def add_copy(self, name: str, step: int, content: ContentKey, manifest: Manifest) -> None:
        """Learn that these files, found under other times or another name, are a committed checkpoint.

        Known to this process alone: the next one encodes such a copy once more before it finds out.
        """
        if (name, content) == (manifest.name, manifest_content(manifest)):
            return
        with self._lock:
            self._copies[name, step, content] = manifest.checkpoint_key.key

    def remove(self, manifests: Iterable[Manifest]) -> None:
        """Learn of checkpoints that retention removed; their files may still lie on disk."""
        with self._lock:
            for manifest in manifests:
                key = manifest.checkpoint_key.key
                self._keys.pop(key, None)
                self._pruned.add((manifest.name, manifest_content(manifest)))
                for copy in [copy for copy, original in self._copies.items() if original == key]:
                    del self._copies[copy]
                    self._pruned.add((copy[0], copy[2]))

    def was_pruned(self, name: str, content: ContentKey) -> bool:
        """Say whether retention removed a checkpoint of this name with these files while this process ran."""
        with self._lock:
            return (name, content) in self._pruned

    def last(self) -> Manifest | None:
        """Return the committed checkpoint that was saved last, whose manifest can be read: the newest one.

        Not the one of the highest step, since a run may be set back, nor the one that was committed last, since a
        backlog is committed newest first.
        """
        for key in reversed(self.checkpoints()):
            manifest = self.load(key)
            if manifest is not None:
                return manifest
        return None

    def count_since(self, manifest: Manifest) -> int:
        """Count the checkpoints that were saved later."""
        return sum(key > manifest.checkpoint_key for key in self.checkpoints())

    def checkpoints(self) -> tuple[CheckpointKey, ...]:
        """Return the committed checkpoints in the order in which they were saved."""
        with self._lock:
            return tuple(sorted(self._keys.values()))

    def find(self, name: str, step: int, content: ContentKey) -> Manifest | None:
        """Return the committed checkpoint of this name and step with these files (path, size, mtime), None if none is.

        Raises:
            StoreUnavailable: a manifest had to be read and could not.
        """
        with self._lock:
            keys = [key for key in self._keys.values() if key.step == step]
            copied = self._keys.get(self._copies.get((name, step, content), ""))
        if copied is not None:
            return self.load(copied)
        for key in keys:
            manifest = self.load(key)
            if manifest is not None and manifest.name == name and manifest_content(manifest) == content:
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
        newest = sorted(manifests, key=lambda manifest: manifest.checkpoint_key)
        return {strip_numbers(m.name): count_shapes(entry.path for entry in m.files) for m in newest}

    def sightings(self) -> Mapping[str, Sighting]:
        """Return, per name, what was on disk of the newest checkpoint of that name that was read."""
        with self._lock:
            manifests = {key: manifest for key, manifest in self._manifests.items() if manifest is not None}
            self._seen = {key: self._seen.get(key) or _as_seen(manifests[key]) for key in manifests}
            newest = sorted(manifests, key=lambda key: manifests[key].checkpoint_key)
            return {manifests[key].name: self._seen[key] for key in newest}


def _as_seen(manifest: Manifest) -> Sighting:
    files = (FileSighting(e.path, "file", 0, e.size_bytes, e.mtime_ns, e.mtime_ns) for e in manifest.files)
    kind: Literal["file", "directory"] = "file" if manifest.find_file(ROOT_PATH) else "directory"
    return Sighting(manifest.name, kind, tuple(files))


def manifest_content(manifest: Manifest) -> ContentKey:
    """Return path, size and mtime of every file of a checkpoint, comparable with `content_key` of a sighting."""
    return tuple(sorted((entry.path, entry.size_bytes, entry.mtime_ns) for entry in manifest.files))
