"""Plain pickles and torch files from before its zips. Opcodes are listed, never executed."""

import pickletools
from io import BytesIO

from weightzip.codec.containers.pickles import read_legacy_pickles
from weightzip.codec.containers.surroundings import NoSurroundings
from weightzip.codec.containers.torch_dtypes import find_torch_dtype
from weightzip.codec.containers.torch_legacy import read_torch_legacy_layout
from weightzip.codec.source import ByteSource

CUT_OFF = "is a pickle that is cut off"

_STOP = b"."
_LEGACY_MAGIC = bytes.fromhex("80028a0a6cfc9c46f9206aa850192e")
_N_LEGACY_PICKLES = 5
_PROTOCOLS = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
# Listing opcodes takes about a second for each of these.
MAX_LISTED_BYTES = 4 << 20
MAX_FRONT_BYTES = 128 << 20


def find_pickle_problem(source: ByteSource) -> tuple[str | None, bool]:
    """Say why a pickle is not whole, and whether its structure shows that it is.

    What is no pickle, and large pickles that no reader understands, are neither: only silence tells their end.
    """
    front = bytes(source.read_at(0, min(source.size_bytes, len(_LEGACY_MAGIC))))
    if front == _LEGACY_MAGIC:
        return _find_legacy_problem(source)
    if not front.startswith(_PROTOCOLS):
        return None, False
    if source.size_bytes > MAX_LISTED_BYTES:
        return None, False
    end = find_pickle_end(bytes(source.read_at(0, source.size_bytes)))
    return (CUT_OFF if end is None else None), end == source.size_bytes


def find_pickle_end(data: bytes, n_pickles: int = 1) -> int | None:
    """Return where the last of several pickles ends, one after another; None if they are cut off or none."""
    stream = BytesIO(data)
    try:
        for _ in range(n_pickles):
            for _ in pickletools.genops(stream):
                pass
    except (ValueError, IndexError, UnicodeDecodeError, OverflowError):
        return None
    return stream.tell()


def is_cut_off(data: bytes) -> bool:
    """Say whether a single pickle that fills a file is cut off; of large ones only the last byte is looked at."""
    return not data.endswith(_STOP) or (len(data) <= MAX_LISTED_BYTES and find_pickle_end(data) is None)


def _find_legacy_problem(source: ByteSource) -> tuple[str | None, bool]:
    if read_torch_legacy_layout(source, NoSurroundings()) is not None:
        return None, True
    # Cut off, or of a kind that the reader refuses: those are told apart, since only the first may keep it waiting.
    front = bytes(source.read_at(0, min(source.size_bytes, MAX_FRONT_BYTES)))
    legacy = read_legacy_pickles(front)
    if legacy is not None:
        known = all(find_torch_dtype(storage.dtype) for storage in legacy.contents.storages)
        return ("does not end where its storages do" if known else None), False
    is_cut = len(front) <= MAX_LISTED_BYTES and find_pickle_end(front, _N_LEGACY_PICKLES) is None
    return ("is a torch file of old that is cut off" if is_cut else None), False
