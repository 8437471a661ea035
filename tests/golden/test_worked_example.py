"""The worked example of docs/format.md is an archive that both decoders read, and its offsets are true."""

import re
from pathlib import Path

from weightzip.codec.decoder import decode_shard
from weightzip.codec.reader import Archive
from weightzip.codec.reference import decode_archive
from weightzip.codec.source import MemorySource

DOCUMENT = Path(__file__).parents[2] / "docs" / "format.md"


def _read_example() -> bytes:
    text = DOCUMENT.read_text().split("## Worked example")[1].split("```")[1].strip("\n")
    data = b""
    for line in text.splitlines():
        match = re.fullmatch(r"([0-9a-f]{4})  ((?:[0-9a-f]{2} ?)+)(?: .*)?", line)
        assert match is not None, line
        assert int(match[1], 16) == len(data), line
        data += bytes.fromhex(match[2])
    return data


def test_both_decoders_read_the_example() -> None:
    example = _read_example()
    assert decode_archive(example) == b"ABBA"
    assert b"".join(decode_shard(Archive(MemorySource(example)))) == b"ABBA"


def test_the_coded_tables_are_what_the_text_says() -> None:
    bits = int.from_bytes(_read_example()[0x4B:0x51], "little")
    assert (bits & 3, bits >> 2 & 0xFF, bits >> 10 & 0xFF, bits >> 18 & 7) == (2, 0x41, 1, 7)
