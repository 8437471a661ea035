"""Directories of zip archives: as torch and NumPy write them, beyond 4 GiB and 65,535 entries, and hostile ones."""

import io
import zipfile
from dataclasses import replace

import pytest

from shards.sources import CountingSource
from shards.zip_archives import Archive, Entry, lay_out
from weightzip.codec.containers.zip_directory import ZipEntry, read_zip_directory
from weightzip.codec.source import MemorySource

PADDING = b"FB\x05\x00ZZZZZ"
SOUND = lay_out(
    Entry(b"x/data.pkl", 0, 100), Entry(b"x/data/0", 0, 1000, local_extra=PADDING), Entry(b"x/data/1", 0, 0)
)


def _pack(contents: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_entries_are_where_their_data_begins() -> None:
    contents = {"a": b"first", "empty": b"", "folder/é": bytes(1000)}
    data = _pack(contents)
    entries = read_zip_directory(MemorySource(data))
    assert entries is not None
    assert {entry.name: data[entry.offset :][: entry.n_bytes] for entry in entries} == contents
    assert all(entry.is_stored for entry in entries)


def test_what_is_deflated_is_not_stored() -> None:
    (entry,) = read_zip_directory(MemorySource(_pack({"a": bytes(1000)}, zipfile.ZIP_DEFLATED))) or ()
    assert (entry.is_stored, entry.n_bytes < 1000) == (False, True)


def test_padding_counts_for_the_local_header_alone() -> None:
    entries = read_zip_directory(SOUND.build())
    assert entries == tuple(
        ZipEntry(entry.name.decode(), entry.data_offset, entry.n_bytes, is_stored=True)
        for entry in SOUND.entries
    )


def test_long_files_and_offsets() -> None:
    long = lay_out(
        Entry(b"a", 0, 5 << 30), Entry(b"b", 0, 7), Entry(b"c", 0, 6 << 30), Entry(b"d", 0, 1), gap_bytes=24
    )
    entries = read_zip_directory(long.build())
    assert entries is not None
    assert [(entry.offset, entry.n_bytes) for entry in entries] == [
        (entry.data_offset, entry.n_bytes) for entry in long.entries
    ]


def test_more_than_65535_entries_in_few_reads() -> None:
    data = _pack({f"x/data/{number}": b"1234" for number in range(66_000)})
    source = CountingSource(data)
    entries = read_zip_directory(source)
    assert entries is not None and len(entries) == 66_000
    assert len(source.reads) < 100


HOSTILE = {
    "comment": replace(SOUND, tail=b"!"),
    "no entries": Archive([], 100, pieces=((0, b"PK\x03\x04"),)),
    "more entries than told": replace(SOUND, n_entries=2),
    "fewer entries than told": replace(SOUND, n_entries=4),
    "absurdly many entries": replace(SOUND, n_entries=1 << 60),
    "more entries than allowed": replace(SOUND, n_entries=1 << 20, directory_bytes=1 << 27),
    "directory beyond the file": replace(SOUND, directory_bytes=1 << 62),
    "directory too early": replace(SOUND, told_offset=SOUND.directory_offset - 1),
    "directory beyond 2^63": replace(SOUND, told_offset=(1 << 64) - 1),
    "same name twice": lay_out(Entry(b"a", 0, 10), Entry(b"a", 0, 10)),
    "entries at one place": Archive([Entry(b"a", 0, 10), Entry(b"b", 0, 10)], 100),
    "entries that overlap": Archive([Entry(b"a", 0, 70), Entry(b"b", 50, 10)], 200),
    "data in the directory": Archive([Entry(b"a", 0, 70)], 60),
    "header in the directory": Archive([Entry(b"a", 0, 1), Entry(b"b", 80, 0)], 60),
    "header beyond the file": Archive([Entry(b"a", 0, 1), Entry(b"b", 1 << 40, 0)], 60),
    "local name differs": lay_out(Entry(b"a", 0, 10), Entry(b"b", 0, 10, local_name=b"c")),
    "local name is longer": lay_out(Entry(b"a", 0, 10), Entry(b"b", 0, 10, local_name=b"bb")),
    "local extra leads out": Archive([Entry(b"a", 0, 10, local_extra=bytes(500))], 300),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archives_are_none(name: str) -> None:
    assert read_zip_directory(SOUND.build()) is not None
    assert read_zip_directory(HOSTILE[name].build()) is None


def test_encrypted_files_are_not_stored() -> None:
    (entry,) = read_zip_directory(lay_out(Entry(b"a", 0, 10, flags=1)).build()) or ()
    assert not entry.is_stored


def test_every_truncation_and_every_flip() -> None:
    data = _pack({"x/data.pkl": b"1", "x/data/0": bytes(8)})
    assert all(read_zip_directory(MemorySource(data[:n_bytes])) is None for n_bytes in range(len(data)))
    for position in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[position] ^= 1 << bit
            entries = read_zip_directory(MemorySource(damaged))
            assert entries is None or all(entry.offset + entry.n_bytes <= len(data) for entry in entries)
