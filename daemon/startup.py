"""The first minutes of a daemon: restore if asked for, then look, then report started, then prefetch. In a thread."""

import time

import structlog

from weightzip.daemon.components import Components
from weightzip.daemon.jobs.backoff import Backoff
from weightzip.daemon.jobs.settling import list_unsettled
from weightzip.daemon.jobs.startup_restore import needs_restore
from weightzip.daemon.layouts import assign_layouts, choose_layouts
from weightzip.daemon.store.repository import LATEST
from weightzip.daemon.watch.scan import scan_source
from weightzip.errors import DiskFull, DiskUnusable, NotFound, StoreUnavailable, TargetExists, WeightzipError

_FIRST_LOOK_SECONDS = 600.0
_FIRST_WORD_SECONDS, _NEXT_WORD_SECONDS = 1.0, 10.0


def start_up(parts: Components) -> None:
    """Bring the daemon from "configured" to "started".

    With `restore.on_start` it waits for the store however long that takes: a trainer that starts from nothing
    because the store was away for a minute loses more.

    Raises:
        WeightzipError: the restore failed for a reason that waiting does not heal.
    """
    if parts.settings.restore.on_start != "never":
        _restore_newest(parts)
    parts.watch_loop.start()
    parts.pipeline.start()
    parts.watch_loop.look_now(_FIRST_LOOK_SECONDS)
    parts.started.set()
    structlog.get_logger("startup").info("started")
    _prefetch_newest(parts)


def _restore_newest(parts: Components) -> None:
    log = structlog.get_logger("startup")
    if parts.gateway.wait() is None:
        return
    newest = parts.ledger.last()
    names = _names_on_disk(parts)
    if not needs_restore(parts.settings.restore.on_start, names, newest.name if newest is not None else None):
        log.info("nothing to restore", on_disk=len(names), newest=newest.name if newest is not None else None)
        return
    backoff = Backoff()
    while not parts.draining.is_set():
        try:
            parts.restores.run_now(LATEST)
            parts.gateway.report(None)
            return
        except NotFound:
            return
        except TargetExists as error:
            log.warning("not restored", error=str(error))
            return
        except (StoreUnavailable, DiskFull) as error:
            if isinstance(error, StoreUnavailable):
                parts.gateway.report(error)
            pause = backoff.next_pause()
            log.warning("restore will be tried again", error=str(error), retry_in_seconds=pause)
            parts.draining.wait(pause)


def _names_on_disk(parts: Components) -> set[str]:
    layouts = choose_layouts(parts.settings.source.layout)
    sightings, root_names = scan_source(parts.restores.allowed_root, parts.settings.source.ignore)
    return set(assign_layouts(layouts, sightings, root_names))


def _prefetch_newest(parts: Components) -> None:
    if not parts.settings.cache.prefetch:
        return
    repository = parts.gateway.wait()
    if repository is None or not parts.ledger.checkpoints() or parts.draining.is_set():
        return
    try:
        parts.prefetcher.start(repository, repository.load(LATEST))
    except WeightzipError as error:
        structlog.get_logger("startup").warning("nothing prefetched", error=str(error))


def wait_once(parts: Components) -> None:
    """Return when everything that is complete, or becomes so by time alone, is committed or given up.

    Whoever waits for this is told now and then what it waits for.

    Raises:
        DiskUnusable: the watched directory cannot be read.
    """
    log, word_at = structlog.get_logger("startup"), time.monotonic() + _FIRST_WORD_SECONDS
    while not parts.is_settled() and not parts.draining.is_set():
        if parts.watch_loop.problem is not None:
            raise DiskUnusable(f"the watched directory cannot be read: {parts.watch_loop.problem}")
        if time.monotonic() >= word_at:
            log.info("waiting", waits_for=list_unsettled(parts.intake.look, parts.pipeline.pins))
            word_at = time.monotonic() + _NEXT_WORD_SECONDS
        time.sleep(0.05)
