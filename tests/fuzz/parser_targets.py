"""What the parsers of untrusted bytes must hold to, whatever the bytes: an error by name, or what says the same again.

Checksums are made right here: a fuzzer would not get past them.
"""

import json
import struct
from collections.abc import Callable, Mapping

from blake3 import blake3

from fuzz.container_targets import CONTAINER_TARGETS, check_layout
from fuzz.torch_targets import TORCH_TARGETS
from weightzip.codec.containers import read_layout
from weightzip.codec.format.arrangement import encode_arrangement
from weightzip.codec.format.block_group import decode_recipe_head
from weightzip.codec.format.checksum import compute_checksum
from weightzip.codec.format.data_frame import OWN, decode_data_frame, encode_data_frame
from weightzip.codec.format.frame import decode_frame_header
from weightzip.codec.format.frame_table import encode_frame_table
from weightzip.codec.format.header import decode_header, encode_header
from weightzip.codec.format.index import decode_index
from weightzip.codec.format.limits import MAX_REFERENCES
from weightzip.codec.format.tensor_table import encode_tensor_table
from weightzip.codec.source import MemorySource
from weightzip.codec.zstd import compress_zstd
from weightzip.daemon.store.document import decode_document, encode_document
from weightzip.daemon.store.manifest import Manifest
from weightzip.errors import WeightzipError

PLACE = "fuzzed"
FILE_BYTES: Mapping[int, int] = {**dict.fromkeys(range(MAX_REFERENCES), 1 << 40), OWN: 20_000}
"""The sizes of the files that fuzzed frames may lean on."""


def parse_header(data: bytes) -> None:
    """Take data as a header without its checksum."""
    sealed = data + struct.pack("<Q", compute_checksum(data))
    header = decode_header(sealed, PLACE)
    _require(encode_header(header) == sealed[: header.n_bytes])


def parse_frame_header(data: bytes) -> None:
    """Take data as the header of a frame."""
    decode_frame_header(data, PLACE)


def parse_data_frame(data: bytes) -> None:
    """Take data as the body of a data frame."""
    frame = decode_data_frame(data, FILE_BYTES, PLACE)
    again = b"".join(encode_data_frame(frame))
    if all(given is None or len(given.pieces) == 1 for given in (frame.predecessor, frame.companion)):
        _require(again == data)
    _require(decode_data_frame(again, FILE_BYTES, PLACE) == frame)


def parse_recipe(data: bytes) -> None:
    """Take data as a block group."""
    decode_recipe_head(data, PLACE)


def parse_index(data: bytes) -> None:
    """Take data as where the index stands in its archive (u32), and the plain index."""
    front, plain = data[:4], data[4:]
    body = struct.pack("<Q", len(plain)) + compress_zstd(plain, level=1)
    index = decode_index(body, index_offset=int.from_bytes(front, "little"), place=PLACE)
    again = struct.pack("<Q", index.file_bytes) + index.file_digest + bytes([index.layout.container])
    again += encode_frame_table(index.frames) + encode_arrangement(index.arrangement)
    _require(again + encode_tensor_table(index.layout.tensors) == plain)


def parse_index_envelope(data: bytes) -> None:
    """Take data as where the index stands in its archive (u32), and the body of its frame."""
    decode_index(data[4:], index_offset=int.from_bytes(data[:4], "little"), place=PLACE)


def parse_shard(data: bytes) -> None:
    """Take data as a file of any format."""
    check_layout(read_layout(MemorySource(data)), data)


def parse_manifest(data: bytes) -> None:
    """Take data as the JSON of a manifest without its checksum."""
    manifest = decode_document(_seal_document(data), Manifest, PLACE)
    _require(decode_document(encode_document(manifest), Manifest, PLACE) == manifest)
    for entry in manifest.files:
        _require(list(manifest.list_needed(entry.digest or ""))[-1] == entry.digest)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "header": parse_header,
    "frame header": parse_frame_header,
    "data frame": parse_data_frame,
    "recipe": parse_recipe,
    "index": parse_index,
    "index envelope": parse_index_envelope,
    "shard": parse_shard,
    **CONTAINER_TARGETS,
    **TORCH_TARGETS,
    "manifest": parse_manifest,
}


def check_target(name: str, data: bytes) -> bool:
    """Return whether the target took the data; raises what is not of the family of our errors."""
    try:
        TARGETS[name](data)
    except WeightzipError:
        return False
    return True


def _seal_document(data: bytes) -> bytes:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return data
    if not isinstance(content, dict):  # it is for the parser to say so
        return data
    content.pop("checksum", None)
    try:
        plain = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    except ValueError:  # JSON can spell lone surrogates
        return data
    return json.dumps(content | {"checksum": blake3(plain).hexdigest()}).encode()


def _require(holds: bool) -> None:
    if not holds:
        raise AssertionError("what was parsed does not say what was read")
