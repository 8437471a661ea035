"""Logical names: what a pickle, or one beside it, says of whose tensors these are. What is unknown keeps its plain name."""

from weightzip.codec.containers.naming.logical import name_logically

__all__ = ["name_logically"]
