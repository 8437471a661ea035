"""zstd frames: exactly one, with the size that is expected."""

import tracemalloc

import numpy as np
import pytest
import zstandard

from weightzip.codec.zstd import compress_zstd, decompress_zstd, has_repeats
from weightzip.errors import CorruptData

DATA = b"weights and biases, " * 500
FRAME = compress_zstd(DATA)


@pytest.mark.parametrize("data", [b"", b"x", DATA])
def test_there_and_back(data: bytes) -> None:
    assert decompress_zstd(compress_zstd(data), len(data), "x") == data


@pytest.mark.parametrize(
    ("frame", "n_bytes"),
    [
        (FRAME, len(DATA) - 1),
        (FRAME, len(DATA) + 1),
        (FRAME[:-1], len(DATA)),
        (FRAME + b"!", len(DATA)),
        (FRAME + FRAME, len(DATA)),
        (b"", 0),
        (b"no zstd at all", len(DATA)),
        (zstandard.ZstdCompressor(write_content_size=False).compress(DATA), len(DATA)),
    ],
    ids=["longer", "shorter", "cut", "surplus", "two", "empty", "other", "unsized"],
)
def test_anything_else_is_corrupt(frame: bytes, n_bytes: int) -> None:
    with pytest.raises(CorruptData, match=r"^x: "):
        decompress_zstd(frame, n_bytes, "x")


def test_repetitions_are_found_and_frequencies_are_not() -> None:
    noise = np.random.default_rng(1)
    skewed = noise.binomial(4096, 0.5, 1 << 14).astype(np.uint8)
    rare = skewed.copy()
    rare[-512:] = rare[:512]
    assert [has_repeats(data.tobytes()) for data in (skewed, rare)] == [False, True]
    four = noise.integers(0, 1 << 32, 64, dtype=np.uint32)[noise.integers(0, 64, 4096)]
    assert has_repeats(four.tobytes())


def test_a_frame_that_claims_more_than_expected_is_not_unpacked() -> None:
    bomb = compress_zstd(bytes(64 << 20))
    tracemalloc.start()
    with pytest.raises(CorruptData, match="67108864"):
        decompress_zstd(bomb, 100, "x")
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 1 << 20
