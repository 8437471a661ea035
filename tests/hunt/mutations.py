"""Ways to damage bytes, each drawn from a seeded generator. What the bytes mean is not known here."""

from collections.abc import Callable, Sequence
from random import Random

_MAX_CHANGES = 3
_MAX_RUN_BYTES = 64
_FRONT_BYTES = 96
_WIDTHS = (1, 2, 4, 8)

Mutate = Callable[[Random, bytearray, bytes], None]


def mutate(random: Random, data: bytes, donor: bytes) -> bytes:
    """Return data with one to three changes; `donor` is where spliced bytes come from."""
    mutated = bytearray(data)
    for _ in range(random.randint(1, _MAX_CHANGES)):
        random.choice(_MUTATIONS)(random, mutated, donor)
    return bytes(mutated)


def draw_extreme(random: Random, n_bytes: int, near: int) -> int:
    """Return a number of n_bytes that code is likely to have forgotten: an end of a range, or next to `near`."""
    n_bits = 8 * n_bytes
    value = random.choice([0, 1, (1 << n_bits) - 1, 1 << (n_bits - 1), 1 << random.randrange(n_bits), near])
    return (value + random.choice([0, 0, 0, -1, 1])) % (1 << n_bits)


def _pick_place(random: Random, data: Sequence[int]) -> int:
    """Return a place in data, half of the time near the front, where fields rather than payloads stand."""
    reach = min(len(data), _FRONT_BYTES) if random.random() < 0.5 else len(data)
    return random.randrange(reach + 1)


def _pick_run(random: Random, data: Sequence[int]) -> tuple[int, int]:
    begin = _pick_place(random, data)
    longest = _MAX_RUN_BYTES if random.random() < 0.8 else len(data)
    return begin, min(begin + 1 + random.randrange(longest + 1), len(data))


def _flip_bit(random: Random, data: bytearray, donor: bytes) -> None:
    place = _pick_place(random, data)
    data[place : place + 1] = bytes(byte ^ 1 << random.randrange(8) for byte in data[place : place + 1])


def _set_byte(random: Random, data: bytearray, donor: bytes) -> None:
    place = _pick_place(random, data)
    data[place : place + 1] = bytes(random.randrange(256) for _ in data[place : place + 1])


def _nudge_byte(random: Random, data: bytearray, donor: bytes) -> None:
    place = _pick_place(random, data)
    data[place : place + 1] = bytes(
        (byte + random.choice([-2, -1, 1, 2])) % 256 for byte in data[place : place + 1]
    )


def _set_field(random: Random, data: bytearray, donor: bytes) -> None:
    place, width = _pick_place(random, data), random.choice(_WIDTHS)
    value = draw_extreme(random, width, len(data))
    data[place : place + width] = value.to_bytes(width, "little")[: len(data) - place]


def _cut(random: Random, data: bytearray, donor: bytes) -> None:
    del data[_pick_place(random, data) :]


def _remove(random: Random, data: bytearray, donor: bytes) -> None:
    begin, end = _pick_run(random, data)
    del data[begin:end]


def _insert(random: Random, data: bytearray, donor: bytes) -> None:
    place, n_bytes = _pick_place(random, data), 1 + random.randrange(16)
    data[place:place] = random.choice([bytes(n_bytes), b"\xff" * n_bytes, random.randbytes(n_bytes)])


def _repeat(random: Random, data: bytearray, donor: bytes) -> None:
    begin, end = _pick_run(random, data)
    data[begin:begin] = data[begin:end] * random.choice([1, 1, 1, 2, 9])


def _fill(random: Random, data: bytearray, donor: bytes) -> None:
    begin, end = _pick_run(random, data)
    data[begin:end] = random.choice([b"\0", b"\xff", random.randbytes(1)]) * (end - begin)


def _move(random: Random, data: bytearray, donor: bytes) -> None:
    begin, end = _pick_run(random, data)
    run = data[begin:end]
    del data[begin:end]
    place = _pick_place(random, data)
    data[place:place] = run


def _splice(random: Random, data: bytearray, donor: bytes) -> None:
    begin, end = _pick_run(random, donor)
    place = _pick_place(random, data)
    n_replaced = random.choice([0, end - begin])
    data[place : place + n_replaced] = donor[begin:end]


_MUTATIONS: tuple[Mutate, ...] = (
    _flip_bit,
    _flip_bit,
    _set_byte,
    _nudge_byte,
    _set_field,
    _set_field,
    _cut,
    _remove,
    _insert,
    _repeat,
    _fill,
    _move,
    _splice,
)
