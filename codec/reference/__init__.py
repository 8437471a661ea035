"""A second, independent decoder in plain NumPy: slow and obvious, written from docs/format.md alone.

It exists to hold the native decoder to the document. Nothing in the product calls it.
"""

from weightzip.codec.reference.archive import decode_archive
from weightzip.codec.reference.block_group import decode_block_group

__all__ = ["decode_archive", "decode_block_group"]
