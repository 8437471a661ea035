"""Which layouts are asked for a setting of `source.layout`, and which one judges each candidate."""

from collections.abc import Iterable, Mapping
from typing import get_args

from weightzip.config.source import LayoutName
from weightzip.daemon.layouts.accelerate import AccelerateLayout
from weightzip.daemon.layouts.dcp import DcpLayout
from weightzip.daemon.layouts.deepspeed import DeepSpeedLayout
from weightzip.daemon.layouts.dlrover import DlroverLayout
from weightzip.daemon.layouts.generic import GenericLayout
from weightzip.daemon.layouts.hf import HfLayout
from weightzip.daemon.layouts.lightning import LightningLayout
from weightzip.daemon.layouts.megatron import MegatronLayout
from weightzip.daemon.layouts.nemo import NemoLayout
from weightzip.daemon.layouts.nvrx import NvrxLayout
from weightzip.daemon.layouts.orbax import OrbaxLayout
from weightzip.daemon.layouts.protocol import Layout, Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.verl import VerlLayout

# The first that claims a candidate judges it: what a name tells goes before what the files inside tell.
_TRAINERS: tuple[Layout, ...] = (
    DlroverLayout(),
    HfLayout(),
    AccelerateLayout(),
    MegatronLayout(),
    NvrxLayout(),
    VerlLayout(),
    LightningLayout(),
    DeepSpeedLayout(),
    NemoLayout(),
    OrbaxLayout(),
    DcpLayout(),
)


def choose_layouts(layout: LayoutName) -> tuple[Layout, ...]:
    """Return the layouts to ask for a setting of `source.layout`, in order."""
    if layout == "generic":
        return (GenericLayout(choosy=False),)
    if layout == "auto":
        return (*_TRAINERS, GenericLayout(choosy=True))
    return tuple(trainer for trainer in _TRAINERS if trainer.name == layout)


def assign_layouts(
    layouts: Iterable[Layout], sightings: Iterable[Sighting], root_names: frozenset[str]
) -> dict[str, Layout]:
    """Return the layout of each candidate that is a checkpoint, by name.

    What only the generic layout claims is taken where no trainer is recognised: beside the checkpoints of a known
    one lie logs and exported models, which are no checkpoints.
    """
    assigned: dict[str, Layout] = {}
    for sighting in sightings:
        layout = next((layout for layout in layouts if layout.claims(sighting, root_names)), None)
        if layout is not None:
            assigned[sighting.name] = layout
    known = {name: layout for name, layout in assigned.items() if not isinstance(layout, GenericLayout)}
    return known or assigned


def list_signals() -> Mapping[str, tuple[Signal, ...]]:
    """Return what tells completeness, by the name of each layout."""
    return {layout.name: layout.signals for name in get_args(LayoutName) for layout in choose_layouts(name)}
