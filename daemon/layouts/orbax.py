"""Orbax and Flax (JAX): `<step>` directories that get their name, or their `commit_success.txt`, when they are whole."""

import re

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.neighbours import find_unvouched
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_step_or_time

METADATA = "_CHECKPOINT_METADATA"
MARKER = "commit_success.txt"
_FLAX_NAME = re.compile(r"checkpoint_\d{1,12}")
_INNER = ("_METADATA", "manifest.ocdbt", METADATA, MARKER)


class OrbaxLayout:
    """Directories of Orbax, and the single files of Flax before it."""

    name = "orbax"
    signals: tuple[Signal, ...] = ("marker", "rename", "neighbours", "silence")

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        if sighting.kind == "file":
            return _FLAX_NAME.fullmatch(sighting.name) is not None
        return any(path.rpartition("/")[2] in _INNER for path in sighting.paths)

    def find_step(self, sighting: Sighting) -> int:
        return read_step_or_time(sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        if MARKER in sighting.paths or _is_committed(evidence):
            return None
        if sighting.kind == "file" and sighting.paths <= evidence.proven:
            return None
        return find_unvouched(sighting, peers, patient)


def _is_committed(evidence: Evidence) -> bool:
    document = evidence.documents.get(METADATA)
    committed_at = document.get("commit_timestamp_nsecs") if isinstance(document, dict) else None
    return isinstance(committed_at, int) and committed_at > 0
