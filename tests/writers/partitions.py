"""How DeepSpeed cuts a group of parameters for its ranks: one flat tensor, padded, in equal parts."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

import torch

Tensors = Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class Fragment:
    """A parameter's elements within the part of one rank."""

    start: int
    n_elements: int


def flatten_group(tensors: Tensors, n_ranks: int) -> torch.Tensor:
    """Return all elements in order, padded with zeros to a multiple of twice the ranks."""
    flat = torch.cat([tensor.detach().float().reshape(-1) for tensor in tensors.values()])
    return torch.nn.functional.pad(flat, (0, -flat.numel() % (2 * n_ranks)))


def cut_flat(tensors: Tensors, rank: int, n_ranks: int) -> torch.Tensor:
    """Return one rank's part of a group as a tensor of its own."""
    flat = flatten_group(tensors, n_ranks)
    size = flat.numel() // n_ranks
    return flat[rank * size : (rank + 1) * size].clone()


def list_fragments(tensors: Tensors, rank: int, n_ranks: int) -> "OrderedDict[str, Fragment]":
    """Return which elements of which parameters lie in the part of a rank."""
    size = flatten_group(tensors, n_ranks).numel() // n_ranks
    first, fragments, position = rank * size, OrderedDict[str, Fragment](), 0
    for name, tensor in tensors.items():
        start = max(position, first)
        end = min(position + tensor.numel(), first + size)
        if start < end:
            fragments[name] = Fragment(start - first, end - start)
        position += tensor.numel()
    return fragments


def cut_evenly(tensors: Tensors, rank: int, n_ranks: int) -> torch.Tensor:
    """Return a rank's part where every parameter is padded and cut by itself, as ZeRO-3 does."""
    parts = []
    for tensor in tensors.values():
        flat = tensor.detach().float().reshape(-1)
        size = -(-flat.numel() // n_ranks)
        padded = torch.nn.functional.pad(flat, (0, size * n_ranks - flat.numel()))
        parts.append(padded[rank * size : (rank + 1) * size])
    return torch.cat(parts)
