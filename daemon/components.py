"""The parts of a running daemon, built from the settings and joined. No thread is started here."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from weightzip.config.settings import Settings
from weightzip.daemon.jobs.commit import Committer
from weightzip.daemon.jobs.gateway import StoreGateway
from weightzip.daemon.jobs.intake import Intake
from weightzip.daemon.jobs.ledger import Ledger
from weightzip.daemon.jobs.outcomes import Outcomes
from weightzip.daemon.jobs.pin_queue import PinQueue
from weightzip.daemon.jobs.pipeline import Pipeline
from weightzip.daemon.jobs.prefetcher import Prefetcher
from weightzip.daemon.jobs.prune import Pruner
from weightzip.daemon.jobs.restores import Restores
from weightzip.daemon.jobs.settling import can_settle_by, is_newest_committed, is_settled
from weightzip.daemon.jobs.spool import Spool
from weightzip.daemon.layouts import choose_layouts
from weightzip.daemon.metrics import Metrics
from weightzip.daemon.places import Places
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.watch.loop import WatchLoop
from weightzip.daemon.watch.mounts import choose_watch_mode, is_network, read_file_system, shows_holes
from weightzip.daemon.watch.watcher import Watcher

LOCAL_QUIET_SECONDS = 10.0
# Twice the longest time for which NFS clients keep attributes by default.
NETWORK_QUIET_SECONDS = 120.0


@dataclass
class Components:
    """All parts of one daemon.

    `started` is set once the first look is done, `draining` once nothing but storing is wanted, `stopping` once the
    daemon is on its way out.
    """

    settings: Settings
    places: Places
    file_system: str
    metrics: Metrics
    ledger: Ledger
    gateway: StoreGateway
    spool: Spool
    cache: ObjectCache
    queue: PinQueue
    outcomes: Outcomes
    committer: Committer
    pruner: Pruner
    pipeline: Pipeline
    intake: Intake
    watch_loop: WatchLoop
    restores: Restores
    prefetcher: Prefetcher
    draining: threading.Event
    stopping: threading.Event = field(default_factory=threading.Event)
    started: threading.Event = field(default_factory=threading.Event)
    started_at: float = field(default_factory=time.time)

    def drain(self) -> None:
        """Do nothing from now on but bring checkpoints to the store."""
        self.draining.set()
        self.metrics.draining.set(1)
        self.pipeline.hurry()

    def stop_threads(self, timeout_seconds: float) -> bool:
        """End watching and the pipeline; returns whether nothing is left in the middle of its work."""
        end = time.monotonic() + timeout_seconds
        idle = self.pipeline.stop(timeout_seconds)
        idle = self.watch_loop.stop(max(end - time.monotonic(), 0)) and idle
        return idle and not self.restores.is_busy and not self.prefetcher.is_busy

    def ended_workers(self) -> tuple[str, ...]:
        """Name the threads that must run and do not."""
        workers = {"watch": self.watch_loop.is_alive(), "pipeline": self.pipeline.is_alive()}
        return tuple(name for name, alive in workers.items() if not alive)

    def is_settled(self) -> bool:
        """Say whether all complete checkpoints are committed and no candidate waits only for time to pass."""
        return self.watch_loop.problem is None and is_settled(self.intake.look, self.pipeline.pins)

    def is_up_to_date(self) -> bool:
        """Say whether the newest complete checkpoint on disk is committed: the one answer of status and metric."""
        return (
            self.started.is_set()
            and self.watch_loop.problem is None
            and self.gateway.repository is not None
            and is_newest_committed(self.intake.look, self.pipeline.pins)
        )

    def flush(self, deadline_seconds: float, give_up: Callable[[], bool] = lambda: False) -> bool:
        """Look once more and wait until everything complete is committed; returns whether that came in time."""
        end = time.monotonic() + deadline_seconds
        self.pipeline.hurry()
        if not self.watch_loop.look_now(deadline_seconds):
            return False
        while not self.is_settled():
            if time.monotonic() >= end or give_up():
                return False
            if not can_settle_by(self.intake.look, self.pipeline.pins, end):
                return self.is_settled()  # asked once more: the last pin may have been committed in between
            time.sleep(min(0.05, max(end - time.monotonic(), 0)))
        return True


def build_components(settings: Settings, places: Places) -> Components:
    """Build every part; creates directories, opens nothing else."""
    for directory in (places.state, places.spool, places.work, places.cache):
        directory.mkdir(parents=True, exist_ok=True)
    file_system = read_file_system(places.source)
    mode = choose_watch_mode(settings.source.watch, file_system)
    metrics = Metrics(settings.source.name)
    metrics.watch_mode.labels(mode).set(1)
    draining = threading.Event()
    ledger, outcomes = Ledger(), Outcomes()
    gateway = StoreGateway(settings.store, places.known_store, ledger, metrics)
    spool, cache = Spool(places.spool), ObjectCache(places.cache, settings.cache.limit)
    queue = PinQueue(settings.state.max_pinned)
    pruner = Pruner(settings.retention, places.work, gateway, ledger, metrics, draining.is_set)
    committer = Committer(
        settings.encode, settings.limits.uploads, places.work, spool, cache, gateway, ledger, pruner, metrics
    )
    pipeline = Pipeline(queue, committer, gateway, spool, outcomes, metrics)
    intake = Intake(places.source, settings.retention, spool, queue, pipeline, ledger, outcomes, metrics)
    quiet_seconds = choose_quiet_seconds(settings.source.quiet_period, file_system)
    watcher = Watcher(
        places.source,
        choose_layouts(settings.source.layout),
        quiet_seconds=quiet_seconds,
        ignore=settings.source.ignore,
        trust_kernel=shows_holes(file_system),
        find_handling=intake.find_handling,
    )
    watch_loop = WatchLoop(
        places.source,
        lambda now_seconds: intake.take(watcher, now_seconds),
        metrics,
        mode=mode,
        poll_seconds=quiet_seconds,
        rescan_seconds=settings.source.rescan_interval,
    )

    def on_progress() -> None:
        intake.refresh()
        if intake.is_holding_back and not queue.list_pins():
            watch_loop.hurry()  # a backlog larger than the spool: the pipeline has nothing to do until the next look
        else:
            watch_loop.wake()

    pipeline.on_progress = on_progress
    restores = Restores(
        gateway.require,
        cache,
        metrics,
        allowed_root=settings.restore.target or places.source,
        max_fallback=settings.restore.max_fallback,
        n_threads=settings.encode.n_threads,
    )
    parts = Components(
        settings=settings,
        places=places,
        file_system=file_system,
        metrics=metrics,
        ledger=ledger,
        gateway=gateway,
        spool=spool,
        cache=cache,
        queue=queue,
        outcomes=outcomes,
        committer=committer,
        pruner=pruner,
        pipeline=pipeline,
        intake=intake,
        watch_loop=watch_loop,
        restores=restores,
        prefetcher=Prefetcher(cache, metrics),
        draining=draining,
    )
    metrics.up_to_date.set_function(lambda: float(parts.is_up_to_date()))
    return parts


def choose_quiet_seconds(setting: float | None, file_system: str) -> float:
    """Return how long a candidate must not change: as configured, else by the kind of file system."""
    if setting is not None:
        return setting
    return NETWORK_QUIET_SECONDS if is_network(file_system) else LOCAL_QUIET_SECONDS
