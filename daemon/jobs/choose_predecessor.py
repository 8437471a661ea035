"""Against what the next checkpoint is encoded. Pure."""

from collections.abc import Callable
from typing import Literal

from weightzip.daemon.store.manifest import Manifest


def choose_predecessor(
    last: Manifest | None,
    setting: Literal["previous", "keyframe", "none"],
    max_chain_depth: int,
    *,
    find_identity: Callable[[str], Manifest | None],
    count_since: Callable[[Manifest], int],
) -> Manifest | None:
    """Return the checkpoint to take residuals against, None to make a keyframe.

    `last` is the committed checkpoint that was saved last. With `previous` it is taken unless its chain is as deep as allowed. With
    `keyframe` its keyframe is taken, until `count_since(keyframe)`, the checkpoints committed after it, reaches
    `max_chain_depth`: the further training moves on, the less a keyframe helps.
    """
    if setting == "none" or max_chain_depth == 0 or last is None:
        return None
    if setting == "previous":
        return last if last.chain_depth < max_chain_depth else None
    keyframe: Manifest | None = last
    while keyframe is not None and keyframe.chain_depth > 0:
        predecessor = keyframe.encoding.predecessor
        keyframe = find_identity(predecessor) if predecessor is not None else None
    return keyframe if keyframe is not None and count_since(keyframe) < max_chain_depth else None
