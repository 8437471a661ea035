"""Section `retention`: which committed checkpoints stay."""

from pydantic import Field

from weightzip.config.section import Section


class RetentionSettings(Section):
    """Which committed checkpoints stay. A checkpoint stays if any rule keeps it, or if a kept one leans on it."""

    keep_last: int | None = Field(default=None, ge=2)
    """Keep the newest N checkpoints; unset: keep all."""
    keep_every: int | None = Field(default=None, ge=1)
    """Also keep checkpoints whose step is a multiple of N."""
    enforce: bool = False
    """Delete what no rule keeps after each commit; otherwise the plan is only shown by `weightzip status`."""
