"""One pinned checkpoint all the way: encode and upload at once, publish, prune. Errors go to the pipeline, which decides."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import structlog

from weightzip.codec.recipes.level import Level
from weightzip.config.encode import EncodeSettings
from weightzip.daemon.disk import remove_tree
from weightzip.daemon.jobs.choose_predecessor import choose_predecessor
from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.jobs.gateway import StoreGateway
from weightzip.daemon.jobs.ledger import Ledger
from weightzip.daemon.jobs.pinned import PinnedCheckpoint
from weightzip.daemon.jobs.predecessor import PredecessorFiles, RawPredecessor, StoredPredecessor
from weightzip.daemon.jobs.progress import WorkProgress
from weightzip.daemon.jobs.prune import Pruner
from weightzip.daemon.jobs.spool import Spool, check_pin
from weightzip.daemon.jobs.upload import Uploader
from weightzip.daemon.metrics import Metrics
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.store.encoded import EncodedCheckpoint
from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.store.publish import PublishReport
from weightzip.daemon.store.record import require_record
from weightzip.errors import CorruptData, MissingPredecessor, NotFound, WrongPredecessor

# What a predecessor may turn out to be: gone, damaged, changed. None of it may keep a checkpoint from being stored.
_PREDECESSOR_UNUSABLE = (NotFound, CorruptData, MissingPredecessor, WrongPredecessor)


class Committer:
    """Turns pins into committed checkpoints, and keeps the last one's raw files as predecessor of the next."""

    def __init__(
        self,
        settings: EncodeSettings,
        n_uploads: int,
        work_root: Path,
        spool: Spool,
        cache: ObjectCache,
        gateway: StoreGateway,
        ledger: Ledger,
        pruner: Pruner,
        metrics: Metrics,
    ) -> None:
        self._settings = settings
        self._n_uploads = n_uploads
        self._work_root = work_root
        self._spool = spool
        self._cache = cache
        self._gateway = gateway
        self._ledger = ledger
        self._pruner = pruner
        self._metrics = metrics
        self._raw: PinnedCheckpoint | None = None
        self.progress = WorkProgress(metrics)
        self._log = structlog.get_logger("commit")

    def keep_raw(self, pin: PinnedCheckpoint) -> None:
        """Keep a committed pin as the raw predecessor of the next checkpoint, instead of the one kept before."""
        if self._raw is not None:
            self._spool.release(self._raw)
        self._raw = pin

    def commit(self, pin: PinnedCheckpoint) -> None:
        """Encode and publish a pin unless it is committed already, then prune.

        Raises:
            SourceChanged, DiskFull, StoreUnavailable: see encode_checkpoint and Repository.publish.
        """
        committed = self._ledger.find(pin.name, pin.step, pin.content)
        if committed is None:
            try:
                committed = self._encode_and_publish(pin)
            finally:
                self.progress.end()
            self._ledger.add(committed)
            self._ledger.add_copy(pin.name, pin.step, pin.content, committed)
        self._gateway.report(None)
        last = self._ledger.last()
        if last is not None and last.identity == committed.identity:
            self._spool.mark_committed(pin, committed.identity)
            self.keep_raw(pin)
        else:
            self._spool.release(pin)
        self.forget(pin)
        with self._timed("prune"):
            self._pruner.prune()

    def forget(self, pin: PinnedCheckpoint) -> None:
        """Remove the half-made archives of a pin."""
        remove_tree(self._work_root / pin.id)

    def free_disk(self) -> None:
        """Give up copies that the store has too, since a full disk keeps a checkpoint from being stored."""
        freed_bytes = self._cache.evict_unused()
        self._metrics.cache_bytes.set(self._cache.used_bytes)
        if freed_bytes:
            self._log.info("cache emptied", freed_bytes=freed_bytes)

    def _encode_and_publish(self, pin: PinnedCheckpoint) -> Manifest:
        predecessor = choose_predecessor(
            self._ledger.last(),
            self._settings.predecessor,
            self._settings.max_chain_depth,
            find_identity=self._ledger.find_identity,
            count_since=self._ledger.count_since,
        )
        for files in self._ways_to_read(predecessor):
            try:
                return self._attempt(pin, files)
            except _PREDECESSOR_UNUSABLE as error:
                self._log.warning("predecessor cannot be used", step=pin.step, error=str(error))
                self.forget(pin)
        return self._attempt(pin, None)

    def _attempt(self, pin: PinnedCheckpoint, predecessor: PredecessorFiles | None) -> Manifest:
        workdir = self._work_root / pin.id
        workdir.mkdir(parents=True, exist_ok=True)
        self._log.info(
            "encoding",
            name=pin.name,
            step=pin.step,
            bytes=pin.size_bytes,
            predecessor=predecessor.manifest.step if predecessor is not None else None,
        )
        check_pin(pin)
        repository = self._gateway.require()
        # Archives are sent ahead: nothing must land where a store has been and is lost.
        require_record(repository.store, repository.run_id)
        self.progress.begin(pin.size_bytes)
        with Uploader(repository.store, self._cache, self.progress, self._n_uploads) as uploader:
            with self._timed("encode"):
                encoded = encode_checkpoint(
                    pin.name,
                    pin.step,
                    pin.tree,
                    workdir=workdir,
                    predecessor=predecessor,
                    level=Level(self._settings.level),
                    n_threads=self._settings.n_threads,
                    verify=self._settings.verify,
                    progress=self.progress.set_encoded,
                    sink=uploader,
                )
                check_pin(pin)
            self._log.info("encoded", name=pin.name, step=pin.step, bytes=encoded.stored_bytes)
            with self._timed("publish"):
                uploader.finish()
                report = repository.publish(
                    replace(encoded, trackers=pin.trackers), n_uploads=self._n_uploads
                )
        self._count(pin, encoded, report, uploader.sent_bytes)
        return report.manifest

    def _ways_to_read(self, predecessor: Manifest | None) -> Iterator[PredecessorFiles]:
        """Yield the ways to reach a predecessor's bytes, the cheapest first."""
        if predecessor is None:
            return
        raw = self._raw
        if raw is not None and raw.record.committed == predecessor.identity:
            yield RawPredecessor(predecessor, raw.tree)
        yield StoredPredecessor(predecessor, self._gateway.require(), self._cache)

    def _count(
        self, pin: PinnedCheckpoint, encoded: EncodedCheckpoint, report: PublishReport, sent_bytes: int
    ) -> None:
        now = time.time()
        metrics = self._metrics
        metrics.checkpoints.labels("committed").inc()
        metrics.input_bytes.inc(encoded.raw_bytes)
        metrics.encoded_bytes.inc(encoded.stored_bytes)
        metrics.cache_bytes.set(self._cache.used_bytes)
        metrics.checkpoint_commit_latency_seconds.observe(max(now - pin.record.complete_at, 0))
        self._log.info(
            "committed",
            name=pin.name,
            step=pin.step,
            raw_bytes=encoded.raw_bytes,
            stored_bytes=encoded.stored_bytes,
            sent_bytes=sent_bytes,
            chain_depth=report.manifest.chain_depth,
            seconds=round(encoded.seconds, 3),
        )

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        self._metrics.checkpoint_stage_duration_seconds.labels(stage).observe(time.monotonic() - start)
