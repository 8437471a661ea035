"""npy files: the header says how many bytes follow."""

from io import BytesIO
from math import prod

from numpy.lib import format as npy

from weightzip.codec.source import ByteSource

NPY_MAGIC = b"\x93NUMPY"
_MAX_FRONT_BYTES = 64 << 10
_SIZES_END = 12  # magic, version and the size of the header


def find_npy_problem(source: ByteSource) -> tuple[str | None, bool]:
    """Say why an npy file is not whole, and whether its structure shows that it is; objects are pickles without an end."""
    if source.size_bytes < _SIZES_END:
        return f"has {source.size_bytes} bytes, less than a header", False
    front = BytesIO(bytes(source.read_at(0, min(source.size_bytes, _MAX_FRONT_BYTES))))
    try:
        read_header = (
            npy.read_array_header_1_0 if npy.read_magic(front) == (1, 0) else npy.read_array_header_2_0
        )
        shape, _, dtype = read_header(front)
    except (ValueError, SyntaxError, TypeError) as error:
        return f"has no npy header: {str(error)[:80]}", False
    if dtype.hasobject:
        return None, False
    wanted_bytes = front.tell() + prod(shape) * dtype.itemsize
    if wanted_bytes != source.size_bytes:
        return f"has {source.size_bytes} bytes, its header says {wanted_bytes}", False
    return None, True
