"""Lossless compression, safe keeping and fast restore of training checkpoints."""

from weightzip.files import (
    check_archive,
    compress_file,
    decompress_file,
    decompress_stream,
    open_archive,
    verify_file,
)

__all__ = [
    "check_archive",
    "compress_file",
    "decompress_file",
    "decompress_stream",
    "open_archive",
    "verify_file",
]
