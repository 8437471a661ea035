"""Publish small checkpoints into a store, each against the one before, as the daemon does."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from support.checkpoints import write_checkpoint
from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.jobs.predecessor import RawPredecessor
from weightzip.daemon.store import Manifest, PublishReport, Repository, Store

RUN_ID = "test-run"


@dataclass
class Publisher:
    """A trainer and a daemon in one: writes checkpoints below `root` and publishes them into `store`."""

    store: Store
    root: Path
    run_id: str = RUN_ID
    n_elements: int = 600
    manifests: dict[int, Manifest] = field(default_factory=dict)

    @property
    def repository(self) -> Repository:
        return Repository.open(self.store, run_id=self.run_id, create=True)

    def source(self, step: int) -> Path:
        """Return the raw tree of a step, written on first use."""
        path = self.root / "source" / f"checkpoint-{step}"
        return path if path.exists() else write_checkpoint(self.root / "source", step, self.n_elements)

    def save_at(self, step: int, seconds: int) -> None:
        """Give all files of a step the time of a save at `seconds` (Unix time)."""
        for path in self.source(step).rglob("*"):
            os.utime(path, (0, seconds), follow_symlinks=False)

    def publish(self, step: int, predecessor: int | None = None) -> PublishReport:
        """Encode a step against a published one (or as a keyframe) and publish it."""
        source = self.source(step)
        files = None
        if predecessor is not None:
            files = RawPredecessor(self.manifests[predecessor], self.source(predecessor))
        encoded = encode_checkpoint(
            source.name, step, source, workdir=self.root / f"work-{step}", predecessor=files, n_threads=1
        )
        report = self.repository.publish(encoded)
        self.manifests[step] = report.manifest
        return report

    def publish_chain(self, *steps: int) -> None:
        """Publish steps in order, the first as a keyframe, each next one against the one before."""
        predecessor = None
        for step in steps:
            self.publish(step, predecessor)
            predecessor = step
