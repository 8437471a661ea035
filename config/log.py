"""Section `log`: how events are written."""

from typing import Literal

from weightzip.config.section import Section


class LogSettings(Section):
    """How events are written to standard error."""

    format: Literal["auto", "human", "json"] = "auto"
    """`auto`: for people on a terminal, JSON lines otherwise."""
    level: Literal["debug", "info", "warning", "error"] = "info"
    """Least important event that is written."""
