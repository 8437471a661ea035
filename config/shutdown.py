"""Section `shutdown`: how the daemon ends."""

from weightzip.config.section import Section
from weightzip.config.units import Duration


class ShutdownSettings(Section):
    """How the daemon ends."""

    deadline: Duration = 25.0
    """Longest time between SIGTERM and exit; what is unfinished then is resumed by the next start."""
