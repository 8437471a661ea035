"""`.distcp` files on their own: items that are all torch zips show where the file begins and ends."""

from weightzip.codec.containers.dcp_walk import walk_items
from weightzip.codec.source import ByteSource


def find_distcp_problem(source: ByteSource) -> tuple[str | None, bool]:
    """Say whether a `.distcp` file shows that it is whole; if not, `.metadata` beside it must tell its size."""
    return None, len(walk_items(source)) > 0
