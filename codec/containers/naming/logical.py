"""Gives the tensors of a torch file the names by which they are joined: of the parameters that they belong to."""

from collections.abc import Callable
from dataclasses import replace

from weightzip.codec.containers.naming.flat_partitions import cut_flat_partitions
from weightzip.codec.containers.naming.optimizer_states import name_optimizer_states
from weightzip.codec.containers.naming.zero_files import ZeroFiles
from weightzip.codec.containers.naming.zero_three import cut_zero_three
from weightzip.codec.containers.pickles import PickleFacts
from weightzip.codec.containers.surroundings import Surroundings
from weightzip.codec.containers.torch_claims import TorchClaims
from weightzip.codec.source import ByteSource


def name_logically(
    claims: TorchClaims, surroundings: Surroundings, read_facts: Callable[[ByteSource], PickleFacts | None]
) -> TorchClaims:
    """Return the claims with logical names, flat partitions of DeepSpeed cut into what parameters have of them.

    `read_facts` reads a torch file beside: it is asked for shapes, and only for partitions.
    """
    files = ZeroFiles(surroundings, read_facts)
    tensors = name_optimizer_states(claims.tensors, claims.facts.param_groups)
    tensors = cut_flat_partitions(tensors, claims.facts, files)
    tensors = cut_zero_three(tensors, claims.facts, files)
    return replace(claims, tensors=tensors)
