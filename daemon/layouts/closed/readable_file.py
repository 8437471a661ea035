"""Formats whose readers accept nothing but whole files: GGUF and tar."""

from weightzip.codec.containers.gguf import MAGIC as GGUF_MAGIC
from weightzip.codec.containers.gguf import read_gguf_layout
from weightzip.codec.containers.tar_directory import list_members, may_be_tar
from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.source import ByteSource

_GZIP_MAGIC = b"\x1f\x8b"
# Writers fill up the last record, unless they are told otherwise: what lacks that may go on.
_TAR_RECORD_BYTES = 10240


def find_gguf_problem(source: ByteSource) -> tuple[str | None, bool]:
    """Say why a GGUF file is not whole, and whether its structure shows that it is."""
    if source.size_bytes < len(GGUF_MAGIC) or source.read_at(0, len(GGUF_MAGIC)) != GGUF_MAGIC:
        return "does not begin as GGUF", False
    if read_gguf_layout(source) is None:
        return "is not GGUF to its end", False
    return None, True


def find_tar_problem(source: ByteSource) -> tuple[str | None, bool]:
    """Say why a tar file is not whole, and whether its structure shows that it is; a compressed one hides its end."""
    if source.size_bytes >= len(_GZIP_MAGIC) and source.read_at(0, len(_GZIP_MAGIC)) == _GZIP_MAGIC:
        return None, False
    if not may_be_tar(source):
        return "does not begin as a tar file", False
    try:
        list_members(source)
    except Unreadable:
        return "is not a tar file to its end", False
    return None, source.size_bytes % _TAR_RECORD_BYTES == 0
