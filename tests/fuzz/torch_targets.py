"""What torch files are read by, as targets of the fuzzer: directories of zip archives, and the rows of the child.

The child itself is no target: a process per input is too slow, and it is there to be lost.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from fuzz.container_targets import check_layout
from shards.zip_archives import Entry, lay_out
from weightzip.codec.containers.pickles.rows import (
    OddRow,
    parse_dcp_metadata,
    parse_legacy,
    parse_rows,
)
from weightzip.codec.containers.torch_claims import StoragePlace, make_torch_claims, settle_torch_claims
from weightzip.codec.containers.zip_directory import read_zip_directory
from weightzip.codec.format.layout import ContainerKind, Layout
from weightzip.codec.source import MemorySource
from weightzip.errors import CorruptData

_STORAGE_BYTES = 48


def parse_zip_directory(data: bytes) -> None:
    """Take data as a zip archive."""
    entries = read_zip_directory(MemorySource(data))
    if entries is None:
        raise CorruptData("no zip archive")
    if any(first.offset + first.n_bytes > second.offset for first, second in pairwise(entries)):
        raise AssertionError("entries overlap")
    if any(entry.offset + entry.n_bytes > len(data) for entry in entries):
        raise AssertionError("an entry leads outside")


def take_rows(data: bytes) -> None:
    """Take data as all that the child says of a torch pickle, and lay out a file of storages of one size."""
    try:
        legacy = parse_legacy(parse_rows(data.splitlines(keepends=True)))
    except OddRow as error:
        raise CorruptData("no rows") from error
    if legacy is None:
        return
    keys = [storage.key for storage in legacy.contents.storages]
    places = {key: StoragePlace(_STORAGE_BYTES * at, _STORAGE_BYTES) for at, key in enumerate(keys)}
    claims = make_torch_claims(legacy.contents, places, is_little_endian=legacy.is_little_endian)
    file = bytes(_STORAGE_BYTES * len(keys))
    tensors = settle_torch_claims(claims, len(file))
    check_layout(Layout(ContainerKind.TORCH_LEGACY, len(file), tensors), file)


def take_metadata_rows(data: bytes) -> None:
    """Take data as all that the child says of a `.metadata` file."""
    try:
        parse_dcp_metadata(parse_rows(data.splitlines(keepends=True)))
    except OddRow as error:
        raise CorruptData("no rows") from error


TORCH_TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "zip directory": parse_zip_directory,
    "pickle rows": take_rows,
    "metadata rows": take_metadata_rows,
}


def list_torch_seeds() -> Mapping[str, Sequence[bytes]]:
    """Return sound inputs by target."""
    return {
        "zip directory": [_build_zip(has_end64=True), _build_zip(has_end64=False)],
        "pickle rows": [_ROWS, b'["machine",true]\n["key","0"]\n' + _ROWS, b'["refused"]\n'],
        "metadata rows": [_METADATA_ROWS],
    }


def _build_zip(*, has_end64: bool) -> bytes:
    entries = Entry(b"x/data.pkl", 0, 20), Entry(b"x/data/0", 0, 100, local_extra=b"FB\x02\x00ZZ")
    source = lay_out(*entries, has_end64=has_end64).build()
    return source.read_at(0, source.size_bytes)


_ROWS = b"""\
["storage","0","FloatStorage",12]
["storage","1","UntypedStorage",48]
["tensor","w","0","FloatStorage",[2,3],[3,1],4]
["tensor","w","0","FloatStorage",[3,2],[1,3],0]
["tensor","v","1","float8_e4m3fn",[48],[1],0]
["param","optimizer",0,0,"w"]
["param","optimizer",1,"v",null]
["slice","",0,"w",0,6]
["shape","",0,"w",[2,3]]
["numbers","partition_count",[2,2]]
["end",300]
"""
_METADATA_ROWS = b"""\
["described","w",[4,3],2]
["item","w",[0,0],[2,3],"float32","__0_0.distcp",0,1500,[]]
["item","step",null,null,null,"__0_0.distcp",1500,900,["stream.zstd/1"]]
["end",800]
"""
