"""Whether a store holds what its manifests promise: findings per object, nothing is written but a scratch cache."""

import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.chain import open_archives
from weightzip.daemon.restore.fetch import ObjectFetcher
from weightzip.daemon.restore.restore import DAMAGE
from weightzip.daemon.store.layout import CheckpointKey, object_key
from weightzip.daemon.store.manifest import ArchiveRecord, Manifest
from weightzip.daemon.store.repository import Repository
from weightzip.errors import CorruptData, NotFound, UnsupportedVersion
from weightzip.files import check_archive
from weightzip.files.reports import Progress

Depth = Literal["structure", "full"]
State = Literal["found", "missing", "wrong_size", "corrupt"]

_QUESTIONS_AT_ONCE = 8
_SCRATCH_BYTES = 4 << 30


@dataclass(frozen=True)
class Finding:
    """What was found under one key. `detail` says what is wrong, empty when the object is as it should be.

    `steps` are the checkpoints that need the object.
    """

    key: str
    state: State
    steps: tuple[int, ...]
    detail: str = ""


@dataclass(frozen=True)
class VerifyStoreReport:
    """All findings of one verification; `ok` when every one is `found`."""

    depth: Depth
    n_checkpoints: int
    findings: tuple[Finding, ...]
    read_bytes: int

    @property
    def ok(self) -> bool:
        """Return whether every checkpoint looked at can be restored, as far as `depth` tells."""
        return all(finding.state == "found" for finding in self.findings)


def verify_repository(
    repository: Repository,
    *,
    depth: Depth = "structure",
    selector: str | int | None = None,
    n_threads: int = 0,
    progress: Progress | None = None,
) -> VerifyStoreReport:
    """Check all checkpoints of a repository, or the one that `selector` names.

    `structure` reads the manifests and asks for the size of every object; `full` also reads every object, proves
    its digest and decodes every file once. `progress` counts the objects' stored bytes.

    Raises:
        NotFound: there is no such checkpoint.
        StoreUnavailable: the store cannot be reached; nothing is known then.
    """
    keys = repository.list_checkpoints() if selector is None else (repository.find(selector),)
    manifests, findings = _load_manifests(repository, keys)
    needed_by = _group_by_object(manifests)
    with ThreadPoolExecutor(_QUESTIONS_AT_ONCE) as pool:
        by_object = dict(pool.map(lambda item: _check_size(repository, *item), needed_by.values()))
    read_bytes = 0
    if depth == "full":
        with (
            tempfile.TemporaryDirectory(prefix="weightzip-verify-") as scratch,
            ObjectFetcher(repository.store) as fetcher,
        ):
            reader = _FullReader(fetcher, ObjectCache(Path(scratch), _SCRATCH_BYTES), by_object, n_threads)
            reader.read_objects([record for record, _ in needed_by.values()], progress)
            reader.decode_files(manifests)
            read_bytes = fetcher.fetched_bytes
    return VerifyStoreReport(depth, len(keys), (*findings, *by_object.values()), read_bytes)


def _load_manifests(
    repository: Repository, keys: Iterable[CheckpointKey]
) -> tuple[list[Manifest], list[Finding]]:
    manifests, findings = [], []
    for key in keys:
        try:
            manifests.append(repository.load(key))
            findings.append(Finding(key.key, "found", (key.step,)))
        except NotFound as error:
            findings.append(Finding(key.key, "missing", (key.step,), str(error)))
        except (CorruptData, UnsupportedVersion) as error:
            findings.append(Finding(key.key, "corrupt", (key.step,), str(error)))
    return manifests, findings


def _group_by_object(manifests: Iterable[Manifest]) -> dict[str, tuple[ArchiveRecord, tuple[int, ...]]]:
    grouped: dict[str, tuple[ArchiveRecord, tuple[int, ...]]] = {}
    for manifest in manifests:
        for record in manifest.encoding.archives.values():
            steps = grouped.get(record.object_digest, (record, ()))[1]
            grouped[record.object_digest] = (record, tuple(sorted({*steps, manifest.step})))
    return grouped


def _check_size(repository: Repository, record: ArchiveRecord, steps: tuple[int, ...]) -> tuple[str, Finding]:
    key = object_key(record.object_digest)
    try:
        size_bytes = repository.store.size_bytes(key)
    except NotFound as error:
        return record.object_digest, Finding(key, "missing", steps, str(error))
    if size_bytes != record.size_bytes:
        detail = f"{size_bytes} bytes, the manifest says {record.size_bytes}"
        return record.object_digest, Finding(key, "wrong_size", steps, detail)
    return record.object_digest, Finding(key, "found", steps)


@dataclass
class _FullReader:
    """Read and decode what the first look found, and change findings for the worse."""

    fetcher: ObjectFetcher
    cache: ObjectCache
    by_object: dict[str, Finding]
    n_threads: int

    def read_objects(self, records: Sequence[ArchiveRecord], progress: Progress | None) -> None:
        """Prove the digest of every object that is there."""
        total_bytes = sum(record.size_bytes for record in records)
        done_bytes = 0
        for record in records:
            if self.by_object[record.object_digest].state == "found":
                try:
                    with self.fetcher.hold([record], self.cache):
                        pass
                except (CorruptData, NotFound) as error:
                    self._condemn(record, error)
            done_bytes += record.size_bytes
            if progress is not None:
                progress(done_bytes, total_bytes)

    def decode_files(self, manifests: Iterable[Manifest]) -> None:
        """Decode every file of which all that it needs is sound, each once."""
        decoded: set[str] = set()
        for manifest in manifests:
            for file in manifest.files:
                digest = file.digest or ""
                needed = manifest.list_needed(digest)
                sound = all(
                    self.by_object[record.object_digest].state == "found" for record in needed.values()
                )
                if sound and digest not in decoded:
                    decoded.add(digest)
                    self._decode_file(needed, digest)

    def _decode_file(self, needed: dict[str, ArchiveRecord], file_digest: str) -> None:
        record = needed.pop(file_digest)
        try:
            with self.fetcher.hold([*needed.values(), record], self.cache) as paths, ExitStack() as stack:
                opened = open_archives(needed, paths, stack)
                report = check_archive(
                    paths[record.object_digest],
                    beside=[opened[other] for other in record.needed_digests],
                    n_threads=self.n_threads,
                )
            if report.file_digest != file_digest:
                raise CorruptData(f"it restores {report.file_digest}, the manifest promises {file_digest}")
        except DAMAGE as error:
            self._condemn(record, error)

    def _condemn(self, record: ArchiveRecord, error: Exception) -> None:
        finding = self.by_object[record.object_digest]
        state: State = "missing" if isinstance(error, NotFound) else "corrupt"
        self.by_object[record.object_digest] = Finding(finding.key, state, finding.steps, str(error))
