"""Notices complete checkpoints: events hint, a rescan of the whole directory decides."""
