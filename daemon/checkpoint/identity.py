"""The identity of a checkpoint: one digest over what its files are, whatever their archives look like."""

import struct
from collections.abc import Iterable
from pathlib import Path

from blake3 import blake3

from weightzip.daemon.checkpoint.entry import FileEntry

_DOMAIN = b"weightzip checkpoint identity 1\0"
_READ_BYTES = 4 << 20  # enough for several threads to share


def checkpoint_identity(entries_by_node: Iterable[Iterable[FileEntry]]) -> str:
    """Return the identity of a checkpoint, 64 hex digits.

    It covers, per node, the path, kind, size, digest and symlink target of every entry, in the order of the
    paths' bytes. Modes, times, name and step stay out: a copy of a checkpoint is the same checkpoint.
    """
    hasher = blake3(_DOMAIN)
    for node, entries in enumerate(entries_by_node):
        for entry in sorted(entries, key=lambda entry: entry.path.encode()):
            fields = (entry.path.encode(), entry.kind.encode(), (entry.target or "").encode())
            hasher.update(struct.pack("<IQ", node, entry.size_bytes))
            for field in fields:
                hasher.update(struct.pack("<Q", len(field)) + field)
            hasher.update(bytes.fromhex(entry.digest) if entry.digest else bytes(32))
    return hasher.hexdigest()


def hash_file(path: Path, *, n_threads: int = 0) -> str:
    """Return the BLAKE3 digest of a file in hex; `n_threads` 0 uses all cores, memory stays at a few MiB."""
    hasher = blake3(max_threads=n_threads or blake3.AUTO)
    buffer = bytearray(_READ_BYTES)
    view = memoryview(buffer)
    with path.open("rb", buffering=0) as file:
        while n_read := file.readinto(buffer):
            hasher.update(view[:n_read])
    return hasher.hexdigest()
