"""The targets of the fuzzer on sound inputs and on damaged ones, the same on every run: a short look at what it does long."""

from random import Random

import pytest

from fuzz.parser_seeds import list_parser_seeds
from fuzz.parser_targets import TARGETS, check_target
from hunt.mutations import mutate

SEEDS = list_parser_seeds()
N_MUTATIONS = 1500


@pytest.mark.parametrize("name", TARGETS)
def test_every_seed_is_sound(name: str) -> None:
    assert all(check_target(name, seed) for seed in SEEDS[name])


@pytest.mark.parametrize("name", TARGETS)
def test_damage_is_refused_or_says_something_else(name: str) -> None:
    n_refused = 0
    for number in range(N_MUTATIONS):
        random = Random(number)
        data = mutate(random, random.choice(SEEDS[name]), random.choice(SEEDS[name]))
        n_refused += not check_target(name, data)
    if name != "shard":  # any bytes are one
        assert n_refused > 50
