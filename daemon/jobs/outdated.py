"""Whether a checkpoint found on disk is one that retention would remove at once. Pure."""

from collections.abc import Sequence

from weightzip.daemon.jobs.ledger import find_save_time_ns
from weightzip.daemon.store.manifest import Manifest


def is_outdated(
    step: int,
    saved_at_ns: int,
    newest_committed: Sequence[Manifest],
    keep_last: int,
    keep_every: int | None,
) -> bool:
    """Say whether `keep_last` committed checkpoints are of a higher step and were saved later than this one.

    The time matters because a run may be set back: what it saves from then on has low steps and is wanted.
    """
    if keep_every is not None and step % keep_every == 0:
        return False
    later = [
        manifest
        for manifest in newest_committed
        if manifest.step > step and find_save_time_ns(manifest) > saved_at_ns
    ]
    return len(later) >= keep_last
