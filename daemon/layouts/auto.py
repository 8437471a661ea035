"""Which layouts are asked, in which order, for a setting of `source.layout`."""

from typing import Literal

from weightzip.daemon.layouts.generic import GenericLayout
from weightzip.daemon.layouts.hf import HfLayout
from weightzip.daemon.layouts.protocol import Layout


def choose_layouts(layout: Literal["auto", "hf", "generic"]) -> tuple[Layout, ...]:
    """Return the layouts to ask; the first that recognises anything judges the whole directory."""
    if layout == "hf":
        return (HfLayout(),)
    if layout == "generic":
        return (GenericLayout(choosy=False),)
    return (HfLayout(), GenericLayout(choosy=True))
