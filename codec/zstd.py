"""zstd as the format uses it: exactly one frame, with a known content size, never more memory than that."""

import zstandard

from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData

# Level 3 is the knee: level 9 gains under 2 % on headers and pickles and costs four times the time.
_LEVEL = 3


def compress_zstd(data: BytesLike, level: int = _LEVEL) -> bytes:
    """Return data as one zstd frame that records its content size."""
    return zstandard.ZstdCompressor(level=level, write_content_size=True).compress(data)


def decompress_zstd(data: BytesLike, n_bytes: int, place: str) -> bytes:
    """Return the content of the one zstd frame in data, which must be n_bytes long.

    Raises:
        CorruptData: it is not, or the frame is damaged.
    """
    try:
        # The library allocates what the frame claims, so the claim is checked before.
        claimed_bytes = zstandard.frame_content_size(data)
        if claimed_bytes != n_bytes:
            raise CorruptData(f"{place}: zstd content of {claimed_bytes} bytes, {n_bytes} expected")
        if n_bytes == 0:
            return b""
        content = zstandard.ZstdDecompressor().decompress(
            data, max_output_size=n_bytes, allow_extra_data=False
        )
    except zstandard.ZstdError as error:
        raise CorruptData(f"{place}: damaged zstd frame ({error})") from error
    if len(content) != n_bytes:
        raise CorruptData(f"{place}: zstd content of {len(content)} bytes, {n_bytes} expected")
    return content
