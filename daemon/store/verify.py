"""Whether a store holds what its manifests promise."""

from dataclasses import dataclass
from typing import Literal

from weightzip.daemon.store.repository import Repository
from weightzip.files.reports import Progress

Depth = Literal["structure", "full"]


@dataclass(frozen=True)
class Finding:
    """What was found under one key. `detail` says what is wrong, empty when the object is as it should be."""

    key: str
    state: Literal["found", "missing", "wrong_size", "corrupt"]
    checkpoints: tuple[str, ...]
    detail: str = ""


@dataclass(frozen=True)
class VerifyStoreReport:
    """All findings of one verification; `ok` when every one is `found`."""

    depth: Depth
    n_checkpoints: int
    findings: tuple[Finding, ...]
    read_bytes: int

    @property
    def ok(self) -> bool:
        """Return whether every checkpoint looked at can be restored, as far as `depth` tells."""
        return all(finding.state == "found" for finding in self.findings)


def verify_repository(
    repository: Repository,
    *,
    depth: Depth = "structure",
    selector: str | int | None = None,
    progress: Progress | None = None,
) -> VerifyStoreReport:
    """Check all checkpoints of a repository, or one.

    `structure` reads the manifests and asks for the size of every object; `full` reads every object, proves its
    digest and decodes every file.
    """
    raise NotImplementedError
