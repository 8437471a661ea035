"""Pickles are read in a child process that can do nothing but answer; what it says is plain rows, checked here."""

from weightzip.codec.containers.pickles.contents import (
    DcpItem,
    DcpMetadata,
    DcpTensor,
    LegacyContents,
    ParamGroupEntry,
    ParamShape,
    PickleContents,
    PickledStorage,
    PickledTensor,
    PickleFacts,
    SliceMapping,
)
from weightzip.codec.containers.pickles.reading import (
    MAX_PICKLE_BYTES,
    read_dcp_metadata,
    read_legacy_pickles,
    read_pickles,
)

__all__ = [
    "MAX_PICKLE_BYTES",
    "DcpItem",
    "DcpMetadata",
    "DcpTensor",
    "LegacyContents",
    "ParamGroupEntry",
    "ParamShape",
    "PickleContents",
    "PickleFacts",
    "PickledStorage",
    "PickledTensor",
    "SliceMapping",
    "read_dcp_metadata",
    "read_legacy_pickles",
    "read_pickles",
]
