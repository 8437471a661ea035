"""Sound inputs for the targets in parser_targets.py."""

import json
from collections.abc import Mapping, Sequence

from fuzz.container_seeds import list_container_seeds
from fuzz.torch_targets import list_torch_seeds
from hunt.parts import Parts, read_frame, read_plain_index, take_apart
from hunt.victims import list_victims
from support.manifests import make_manifest
from weightzip.codec.format.data_frame import Method
from weightzip.codec.format.frame import FrameKind, encode_frame_header
from weightzip.daemon.store.document import encode_document


def list_parser_seeds() -> Mapping[str, Sequence[bytes]]:
    """Return sound inputs by target."""
    archives = [take_apart(victim) for victim in list_victims()]
    bodies = [part.body for parts in archives for part in parts.frames]
    containers = list_container_seeds()
    shards = [seed for seeds in containers.values() for seed in seeds]
    frames = [read_frame(part, parts) for parts in archives for part in parts.frames]
    return {
        "header": sorted({parts.header for parts in archives}),
        "frame header": [encode_frame_header(kind, b"body") for kind in FrameKind],
        "data frame": bodies,
        "recipe": [bytes(frame.rest) for frame in frames if frame.method == Method.BLOCKS],
        "index": [_write_front(parts) + read_plain_index(parts) for parts in archives],
        "index envelope": [_write_front(parts) + parts.index_body for parts in archives],
        "shard": [*shards, b"", b"text of no format"],
        **containers,
        **list_torch_seeds(),
        "manifest": _list_manifests(),
    }


def _write_front(parts: Parts) -> bytes:
    return parts.index_offset.to_bytes(4, "little")


def _list_manifests() -> list[bytes]:
    first = make_manifest(1)
    manifests = [first, make_manifest(2, predecessor=first)]
    return [json.dumps(json.loads(encode_document(manifest))).encode() for manifest in manifests]
