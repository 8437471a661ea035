"""Section `encode`: how a checkpoint becomes archives."""

from typing import Literal

from pydantic import Field

from weightzip.config.section import Section


class EncodeSettings(Section):
    """How a checkpoint becomes archives."""

    predecessor: Literal["previous", "keyframe", "none"] = "previous"
    """What residuals are taken against: the checkpoint saved before, the newest keyframe, or nothing."""
    max_chain_depth: int = Field(default=8, ge=0, le=64)
    """Most residual steps from a checkpoint back to its keyframe; the next one becomes a keyframe itself. 64 is the most that a restore can follow."""
    n_threads: int = Field(default=0, ge=0)
    """Threads that encode and decode; 0 means one a core."""
    level: Literal["fast", "default", "max"] = "default"
    """How much time the encoder may take for fewer bytes."""
    verify: bool = True
    """Decode every archive and compare before it may be published."""
