"""Whether a checkpoint found on disk is one that retention would remove at once. Pure."""

from collections.abc import Collection

from weightzip.daemon.store.layout import CheckpointKey


def is_outdated(
    saved_at_seconds: int,
    step: int,
    committed: Collection[CheckpointKey],
    keep_last: int,
    keep_every: int | None,
) -> bool:
    """Say whether `keep_last` committed checkpoints were saved later than this one, and no rule keeps its step."""
    if keep_every is not None and step % keep_every == 0:
        return False
    later = [key for key in committed if (key.saved_at_seconds, key.step) > (saved_at_seconds, step)]
    return len(later) >= keep_last
