"""What a checkpoint is: its entries, their paths, its identity. Pure data and one scan of a tree; no store."""

from weightzip.daemon.checkpoint.entry import (
    MAX_SAVE_TIME_SECONDS,
    EntryKind,
    FileEntry,
    TreeEntry,
    entry_order,
    find_save_time,
)
from weightzip.daemon.checkpoint.identity import checkpoint_identity, hash_file
from weightzip.daemon.checkpoint.paths import ROOT_PATH, check_entry_path, resolve_entry_path
from weightzip.daemon.checkpoint.scan import scan_tree

__all__ = [
    "MAX_SAVE_TIME_SECONDS",
    "ROOT_PATH",
    "EntryKind",
    "FileEntry",
    "TreeEntry",
    "check_entry_path",
    "checkpoint_identity",
    "entry_order",
    "find_save_time",
    "hash_file",
    "resolve_entry_path",
    "scan_tree",
]
