"""Section `cache`: the local copy of store objects."""

from weightzip.config.section import Section
from weightzip.config.units import Size


class CacheSettings(Section):
    """The local copy of store objects that makes restores start at once."""

    limit: Size = 32 * 2**30
    """Most bytes of store objects kept on the local disk."""
    prefetch: bool = True
    """Fetch the newest checkpoint's objects when the daemon starts, before anybody asks."""
