"""What an earlier process left in the spool and the work directory, taken over before anything else happens."""

import structlog

from weightzip.daemon.components import Components
from weightzip.daemon.disk import remove_tree
from weightzip.daemon.jobs.pinned import PinnedCheckpoint


def adopt_leftovers(parts: Components) -> None:
    """Queue pins that were never committed, keep the last committed one as raw predecessor, remove the rest.

    Half-made archives of a queued pin stay: encoding takes over those that are whole.
    """
    log = structlog.get_logger("adopt")

    def on_damaged(pin_id: str, reason: str) -> None:
        log.warning("pin removed", pin=pin_id, reason=reason)

    queued: set[str] = set()
    committed: list[PinnedCheckpoint] = []
    for pin in parts.spool.adopt(on_damaged):
        if pin.record.committed is not None:
            committed.append(pin)
            continue
        log.info("adopted", name=pin.name, step=pin.step)
        queued.add(pin.id)
        crowded_out = parts.queue.put(pin)
        if crowded_out is not None:
            queued.discard(crowded_out.id)
            parts.spool.release(crowded_out)
    for pin in sorted(committed, key=lambda pin: pin.record.complete_at):
        parts.committer.keep_raw(pin)
    for workdir in parts.places.work.iterdir():
        if workdir.name not in queued:
            remove_tree(workdir)
