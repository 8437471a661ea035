"""Section `store`: where committed checkpoints live."""

from typing import Any

from pydantic import Field

from weightzip.config.section import Section


class StoreSettings(Section):
    """Where committed checkpoints live."""

    url: str = Field(min_length=1)
    """Any fsspec URL: `file:///mnt/backup/run-7`, `s3://bucket/run-7`. A plain path is a local directory."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of the fsspec file system, such as `endpoint_url`, `key`, `secret`. Shown masked; prefer the provider's own environment."""
    run_id: str | None = None
    """Identity of the training run in the store; a store that belongs to another run is refused. Unset: the store's own, or a new one."""
