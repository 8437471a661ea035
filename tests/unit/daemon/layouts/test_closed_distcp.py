"""`.distcp` files on their own: zips up to the last byte prove the end, anything else waits for the metadata."""

import torch

from shards.dcp import save_bytes
from weightzip.codec.source import MemorySource
from weightzip.daemon.layouts.closed.distcp_file import find_distcp_problem

ITEMS = save_bytes(torch.arange(8)) + save_bytes({"lr": 0.1})


def test_zips_up_to_the_end_prove_it() -> None:
    assert find_distcp_problem(MemorySource(ITEMS)) == (None, True)


def test_what_ends_in_something_else_proves_nothing() -> None:
    for data in (b"", b"compressed", ITEMS[:-1], ITEMS + b"\0", b"\0" + ITEMS):
        assert find_distcp_problem(MemorySource(data)) == (None, False)
