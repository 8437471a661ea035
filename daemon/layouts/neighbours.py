"""What neighbours and silence prove where a trainer writes no marker, and the markers that lie beside a checkpoint.

Also what neighbours disprove: a checkpoint that is being deleted.
"""

from weightzip.daemon.layouts.names import count_shapes, is_shard_name
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import PATIENT_FACTOR
from weightzip.daemon.layouts.sighting import Sighting

_UNFINISHED = "-unfinished"
# NeMo names its marker after the checkpoint without these.
_DROPPED_ENDINGS = (".nemo", ".ckpt", "-EMA")


def find_unfinished(sighting: Sighting, peers: Peers) -> str | None:
    """Say which marker beside the checkpoint tells that its save goes on."""
    stem = sighting.name
    names = {stem + _UNFINISHED}
    for ending in _DROPPED_ENDINGS:
        stem = stem.removesuffix(ending)
        names.add(stem + _UNFINISHED)
    standing = sorted(names & peers.root_names)
    return f"{standing[0]} says that the save goes on" if standing else None


def find_deleted(sighting: Sighting, peers: Peers) -> str | None:
    """Say which kind of shard is gone that the checkpoints before and after have.

    Rotation deletes when a newer checkpoint is whole, and in any order: the marker may be the last file to go. A trainer
    that dies at it leaves half a checkpoint, as quiet as a whole one. The last checkpoint of a run may lack the
    optimizer, and nothing comes after it.
    """
    mine = count_shapes(sighting.paths).keys()
    after = {shape for newer in peers.newer for shape in count_shapes(newer.paths)}
    before = after if peers.predecessor_shapes is None else peers.predecessor_shapes.keys()
    return min((shape for shape in (after & before) - mine if is_shard_name(shape)), default=None)


def find_unvouched(sighting: Sighting, peers: Peers, patient: bool) -> str | None:
    """Say why neither the files of its neighbours nor silence show that a checkpoint without marker is whole."""
    if peers.looks_like_predecessor(sighting):
        return None
    missing = peers.missing_from_predecessor(sighting)
    if missing:
        return f"{missing[0]} of the predecessor is missing"
    missing = peers.missing_from_newer(sighting)
    if missing:
        return f"{missing[0]} of a newer checkpoint is missing"
    if peers.newer or patient:
        return None
    return f"no marker: waiting for a newer checkpoint or {PATIENT_FACTOR} quiet periods"


def find_unvouched_ranks(sighting: Sighting, peers: Peers, patient: bool) -> str | None:
    """Say the same of a trainer whose file set follows the number of its ranks, which a restart may change.

    A set that differs from the predecessor's is whole when the next checkpoint has the same one.
    """
    if patient and peers.predecessor_shapes is not None and peers.has_newer_twin(sighting):
        return None
    return find_unvouched(sighting, peers, patient)
