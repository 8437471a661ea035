"""npy files: one NumPy array behind a header that is a Python literal.

The header is matched, never evaluated. Big-endian numbers, strings and the like are opaque; of records and of objects
(which are pickles) nothing is known, and the file is none of ours.
"""

import re
from dataclasses import dataclass
from math import prod

import numpy as np

from weightzip.codec.containers.claim import make_claim
from weightzip.codec.containers.dtype_names import DTYPES_BY_NAME
from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.source import ByteSource

ONLY_ARRAY = "array"
"""The name of a file's array, which has none of its own."""

_MAGIC = b"\x93NUMPY"
_SIZE_WIDTHS = {1: 2, 2: 4, 3: 4}  # by version
_MAX_HEADER_BYTES = 10_000  # NumPy's own cap
_MAX_RANK = 64  # NumPy's own, too
_MAX_DIGITS = 19  # more make no size that a file has
_HEADER = re.compile(
    r"\{(?=[^}]*'descr': *'(?P<order>[<>|=]?)(?P<kind>[a-zA-Z?])(?P<size>\d{0,9})(?:\[[\w]*\])?' *[,}])"
    r"(?=[^}]*'fortran_order': *(?P<fortran>True|False) *[,}])"
    r"(?=[^}]*'shape': *\((?P<shape>[\dL, ]*)\) *[,}])"
    r"[^{}]*\}\s*"
)
_KINDS = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
_OBJECT, _UNICODE = "O", "U"
_UNICODE_BYTES = 4
# Extensions bring bfloat16 along, which NumPy writes as nothing but two bytes.
_NAMELESS = ("V", 2)
_SAMPLED_ELEMENTS = 4096
_LIKELY = 0.95


@dataclass(frozen=True)
class _Header:
    """What the literal says, and where the data begins behind it."""

    order: str
    kind: str
    element_bytes: int
    shape: tuple[int, ...]
    data_begin: int


def read_npy_layout(source: ByteSource) -> Layout | None:
    """Return the layout of an npy file, None if it is none that is whole and makes sense."""
    claim = claim_array(source, ONLY_ARRAY)
    if claim is None:
        return None
    return Layout(ContainerKind.NPY, source.size_bytes, (claim,) if claim.n_bytes else ())


def claim_array(source: ByteSource, name: str) -> TensorRange | None:
    """Return where the numbers of an npy file lie, None if it is none that is whole and makes sense."""
    try:
        header = _read_header(source)
    except Unreadable:
        return None
    n_bytes = prod(header.shape) * header.element_bytes
    if header.data_begin + n_bytes > source.size_bytes:
        return None
    dtype = _find_dtype(source, header, n_bytes)
    return make_claim(name, dtype, header.shape, header.data_begin, n_bytes)


def _read_header(source: ByteSource) -> _Header:
    if source.size_bytes < len(_MAGIC) + 4 or source.read_at(0, len(_MAGIC)) != _MAGIC:
        raise Unreadable
    width = _SIZE_WIDTHS.get(source.read_at(len(_MAGIC), 1)[0])
    begin = len(_MAGIC) + 2 + (width or 0)
    if width is None or begin > source.size_bytes:
        raise Unreadable
    text_bytes = int.from_bytes(source.read_at(begin - width, width), "little")
    if text_bytes > min(_MAX_HEADER_BYTES, source.size_bytes - begin):
        raise Unreadable
    found = _HEADER.fullmatch(bytes(source.read_at(begin, text_bytes)).decode("latin-1"))
    if found is None:
        raise Unreadable
    return _parse_header(found, begin + text_bytes)


def _parse_header(found: re.Match[str], data_begin: int) -> _Header:
    sizes = re.findall(r"\d+", found["shape"])
    if found["kind"] == _OBJECT or len(sizes) > _MAX_RANK or any(len(size) > _MAX_DIGITS for size in sizes):
        raise Unreadable
    shape = [int(size) for size in sizes]
    if found["fortran"] == "True":  # the first dimension is the one that lies together
        shape.reverse()
    element_bytes = int(found["size"] or 1) * (_UNICODE_BYTES if found["kind"] == _UNICODE else 1)
    return _Header(found["order"], found["kind"], element_bytes, tuple(shape), data_begin)


def _find_dtype(source: ByteSource, header: _Header, n_bytes: int) -> DType:
    if header.order == ">" and header.element_bytes > 1:
        return DType.OPAQUE
    if header.kind in {"b", "?"}:
        return DType.BOOL
    if (header.kind, header.element_bytes) == _NAMELESS and n_bytes:
        sampled_bytes = min(n_bytes, 2 * _SAMPLED_ELEMENTS)
        middle = header.data_begin + (n_bytes - sampled_bytes) // 4 * 2
        return DType.BF16 if _look_like_bf16(bytes(source.read_at(middle, sampled_bytes))) else DType.OPAQUE
    name = f"{_KINDS.get(header.kind)}{8 * header.element_bytes}"
    return DTYPES_BY_NAME.get(name, DType.OPAQUE)


def _look_like_bf16(data: bytes) -> bool:
    """Return whether nearly all are zero or between 2^-40 and 2^20, as one in four of random numbers would be."""
    exponents = np.frombuffer(data, dtype="<u2") >> 7 & 0xFF
    likely = (exponents == 0) | ((exponents > 127 - 40) & (exponents < 127 + 20))
    return bool(likely.mean() >= _LIKELY)
