"""zstd as the format uses it: exactly one frame, with a known content size, never more memory than that."""

import threading

import zstandard

from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData

_LEVEL = 3


class _Compressors(threading.local):
    """One compressor for each level and thread: making one takes as long as compressing some kilobytes."""

    def __init__(self) -> None:
        self._by_level: dict[int, zstandard.ZstdCompressor] = {}
        # A target length makes the fast strategy hurry, and store literals as they are.
        hurried = zstandard.ZstdCompressionParameters(
            strategy=zstandard.STRATEGY_FAST,
            target_length=1,
            min_match=4,
            window_log=14,
            hash_log=13,
            chain_log=6,
            search_log=1,
        )
        self.of_repeats = zstandard.ZstdCompressor(compression_params=hurried)

    def get(self, level: int) -> zstandard.ZstdCompressor:
        compressor = self._by_level.get(level)
        if compressor is None:
            compressor = zstandard.ZstdCompressor(level=level, write_content_size=True)
            self._by_level[level] = compressor
        return compressor


_compressors = _Compressors()


def compress_zstd(data: BytesLike, level: int = _LEVEL) -> bytes:
    """Return data as one zstd frame that records its content size."""
    return _compressors.get(level).compress(data)


def has_repeats(data: BytesLike) -> bool:
    """Return whether a fiftieth or more of data (up to 16 KiB) could be spared by repeating what came before.

    If not, zstd has nothing but the frequencies of bytes to go by. Takes a sixth of the time of compressing.
    """
    return len(_compressors.of_repeats.compress(data)) * 50 <= len(data) * 49


def compress_zstd_moderately(data: BytesLike) -> bytes:
    """Return data as compress_zstd does, but less than 256 times as small whatever it is.

    With a window of 1 KiB no block holds more, and none is smaller than 4 bytes.
    """
    parameters = zstandard.ZstdCompressionParameters.from_level(
        _LEVEL, window_log=10, write_content_size=True
    )
    return zstandard.ZstdCompressor(compression_params=parameters).compress(data)


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
