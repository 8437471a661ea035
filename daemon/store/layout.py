"""The keys of a repository: what lies where. Reading a key back is part of it, since a listing is untrusted.

weightzip-store.json                                 format, version, run_id; created once
objects/<aa>/<archive digest>.wzst                   archives, by content
checkpoints/<saved>-<step>-<identity>.json           one manifest a checkpoint, written last
"""

import re
from dataclasses import dataclass

from weightzip.daemon.checkpoint import MAX_SAVE_TIME_SECONDS

STORE_RECORD_KEY = "weightzip-store.json"
OBJECTS_PREFIX = "objects/"
CHECKPOINTS_PREFIX = "checkpoints/"
MAX_STEP_DIGITS = 12

_OBJECT_KEY = re.compile(r"objects/([0-9a-f]{2})/(\1[0-9a-f]{62})\.wzst")
_CHECKPOINT_KEY = re.compile(r"checkpoints/([0-9]{12})-([0-9]{12})-([0-9a-f]{16})\.json")


@dataclass(frozen=True, order=True)
class CheckpointKey:
    """A published checkpoint as its key tells it: no manifest was read.

    Orders by the time of saving (Unix seconds), then by step: a run may be set back, and what it saves from then on
    is newer than everything before, though its steps are lower.
    """

    saved_at_seconds: int
    step: int
    identity_prefix: str

    @property
    def key(self) -> str:
        """Return the key of its manifest in the store."""
        return (
            f"{CHECKPOINTS_PREFIX}{self.saved_at_seconds:012d}-{self.step:012d}-{self.identity_prefix}.json"
        )

    @classmethod
    def of(cls, saved_at_seconds: int, step: int, identity: str) -> "CheckpointKey":
        """Return the key of a checkpoint with this identity."""
        return cls(saved_at_seconds, step, identity[:16])


def object_key(digest: str) -> str:
    """Return the key of an archive object."""
    return f"{OBJECTS_PREFIX}{digest[:2]}/{digest}.wzst"


def parse_object_key(key: str) -> str | None:
    """Return the digest that an object's key names, None for a key that is not ours."""
    match = _OBJECT_KEY.fullmatch(key)
    return match.group(2) if match else None


def parse_checkpoint_key(key: str) -> CheckpointKey | None:
    """Return the checkpoint that a manifest's key names, None for a key that is not ours."""
    match = _CHECKPOINT_KEY.fullmatch(key)
    if match is None or int(match.group(1)) > MAX_SAVE_TIME_SECONDS:
        return None
    return CheckpointKey(int(match.group(1)), int(match.group(2)), match.group(3))
