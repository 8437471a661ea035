"""How trainers lay out checkpoints: which paths form one, its step, and when it is complete. Reads, never writes."""

from weightzip.daemon.layouts.auto import assign_layouts, choose_layouts, list_signals
from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Layout
from weightzip.daemon.layouts.sighting import FileSighting, Sighting

__all__ = [
    "Evidence",
    "FileSighting",
    "Layout",
    "Peers",
    "Sighting",
    "assign_layouts",
    "choose_layouts",
    "list_signals",
]
