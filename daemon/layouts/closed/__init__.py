"""Cheap proofs that a file was written to its end, by the structure of its format. Opens, reads little, closes."""

from weightzip.daemon.layouts.closed.check import Closure, check_closed
from weightzip.daemon.layouts.closed.gather import gather_evidence

__all__ = ["Closure", "check_closed", "gather_evidence"]
