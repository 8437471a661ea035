"""How 2-byte elements follow from fp32: found where they do, to the last element."""

import numpy as np
import pytest

from weightzip.codec.derivation import PROBE_ELEMENTS, Derivation, derive, find_derivation

N_ELEMENTS = PROBE_ELEMENTS + 100
MASTER = np.random.default_rng(1).standard_normal(N_ELEMENTS).astype(np.float32).tobytes()


@pytest.mark.parametrize("derivation", Derivation)
def test_every_kind_is_found(derivation: Derivation) -> None:
    assert find_derivation(derive(MASTER, derivation), MASTER) == derivation


def test_halves_and_casts_are_what_they_say() -> None:
    master = np.frombuffer(MASTER, "<f4")
    assert derive(MASTER, Derivation.FP16_NEAREST_EVEN) == master.astype("<f2").tobytes()
    assert derive(MASTER, Derivation.BF16_TRUNCATED) == master.view("<u2")[1::2].tobytes()
    assert derive(MASTER, Derivation.LOWER_HALF) == master.view("<u2")[::2].tobytes()


@pytest.mark.parametrize("position", [0, PROBE_ELEMENTS, 2 * N_ELEMENTS - 1])
def test_one_other_byte_is_noticed(position: int) -> None:
    raw = bytearray(derive(MASTER, Derivation.BF16_NEAREST_EVEN))
    raw[position] ^= 1
    assert find_derivation(bytes(raw), MASTER) is None


@pytest.mark.parametrize("n_bytes", [0, 1, 2 * N_ELEMENTS - 2, 2 * N_ELEMENTS + 2, 4 * N_ELEMENTS])
def test_other_sizes_do_not_follow(n_bytes: int) -> None:
    assert find_derivation(bytes(n_bytes), MASTER) is None
