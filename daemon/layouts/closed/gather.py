"""Evidence for one candidate: each file by itself, then files that tell of others."""

from pathlib import Path

from weightzip.daemon.checkpoint import ROOT_PATH, check_entry_path, resolve_entry_path
from weightzip.daemon.layouts.closed.check import check_closed
from weightzip.daemon.layouts.closed.dcp_listing import read_dcp_listings
from weightzip.daemon.layouts.closed.deepspeed_ranks import read_rank_counts
from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.errors import CorruptData


def gather_evidence(root: Path, sighting: Sighting, *, trust_kernel: bool) -> Evidence:
    """Check the structure of every file of a candidate that lies at `root`; stops at the first that is not closed."""
    strange = _find_strange_name(sighting)
    if strange is not None:
        return Evidence(problem=strange)
    documents, proven, hole = {}, set(), None
    for entry in sighting.files:
        closure = check_closed(resolve_entry_path(root, entry.path), trust_kernel=trust_kernel)
        name = sighting.name if entry.path == ROOT_PATH else entry.path
        if closure.problem is not None:
            return Evidence(problem=f"{name} {closure.problem}")
        if closure.hole is not None and hole is None:
            hole = f"{name} {closure.hole}"
        if closure.document is not None:
            documents[entry.path] = closure.document
        if closure.proven:
            proven.add(entry.path)
    problem, named = read_dcp_listings(root, sighting)
    return Evidence(
        problem=problem,
        hole=hole,
        documents=documents,
        proven=frozenset(proven),
        named=named,
        n_ranks=read_rank_counts(root, sighting),
    )


def _find_strange_name(sighting: Sighting) -> str | None:
    """Say which name no checkpoint can hold: it must not keep the others from being looked at."""
    for entry in sighting.entries:
        try:
            check_entry_path(entry.path)
        except CorruptData as error:
            return str(error)
    return None
