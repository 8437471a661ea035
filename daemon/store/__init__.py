"""Where archives and manifests live: stores behind one protocol, and the repository of a run in one of them."""

from weightzip.daemon.store.encoded import EncodedCheckpoint
from weightzip.daemon.store.layout import CheckpointKey
from weightzip.daemon.store.manifest import ArchiveRecord, Manifest
from weightzip.daemon.store.opening import open_store
from weightzip.daemon.store.protocol import CreateOutcome, Store, StoredObject
from weightzip.daemon.store.publish import PublishReport
from weightzip.daemon.store.record import Fencing
from weightzip.daemon.store.repository import Repository
from weightzip.daemon.store.retrying import RetryPolicy

__all__ = [
    "ArchiveRecord",
    "CheckpointKey",
    "CreateOutcome",
    "EncodedCheckpoint",
    "Fencing",
    "Manifest",
    "PublishReport",
    "Repository",
    "RetryPolicy",
    "Store",
    "StoredObject",
    "open_store",
]
