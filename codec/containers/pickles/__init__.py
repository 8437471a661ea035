"""Pickles are read in a child process that can do nothing but answer; what it says is plain rows, checked here."""

from weightzip.codec.containers.pickles.contents import (
    DcpItem,
    DcpMetadata,
    DcpTensor,
    ParamGroupEntry,
    ParamShape,
    PickleContents,
    PickledStorage,
    PickledTensor,
    PickleFacts,
    SliceMapping,
)
from weightzip.codec.containers.pickles.reading import read_dcp_metadata, read_pickles

__all__ = [
    "DcpItem",
    "DcpMetadata",
    "DcpTensor",
    "ParamGroupEntry",
    "ParamShape",
    "PickleContents",
    "PickleFacts",
    "PickledStorage",
    "PickledTensor",
    "SliceMapping",
    "read_dcp_metadata",
    "read_pickles",
]
