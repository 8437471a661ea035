"""Where archives and manifests live: stores behind one protocol, and the repository of a run in one of them."""

from weightzip.daemon.store.manifest import ArchiveRecord, Manifest
from weightzip.daemon.store.opening import open_store
from weightzip.daemon.store.protocol import CreateOutcome, Store, StoredObject

__all__ = ["ArchiveRecord", "CreateOutcome", "Manifest", "Store", "StoredObject", "open_store"]
