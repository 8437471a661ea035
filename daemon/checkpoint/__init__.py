"""What a checkpoint is: its entries, their paths, its identity, its trackers. Pure data and one scan of a tree; no store."""

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
from weightzip.daemon.checkpoint.tracker import MAX_TRACKER_BYTES, TRACKER_FILES, Tracker, check_tracker

__all__ = [
    "MAX_SAVE_TIME_SECONDS",
    "MAX_TRACKER_BYTES",
    "ROOT_PATH",
    "TRACKER_FILES",
    "EntryKind",
    "FileEntry",
    "Tracker",
    "TreeEntry",
    "check_entry_path",
    "check_tracker",
    "checkpoint_identity",
    "entry_order",
    "find_save_time",
    "hash_file",
    "resolve_entry_path",
    "scan_tree",
]
