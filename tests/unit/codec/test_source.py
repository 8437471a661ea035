"""Local sources: exact reads, and a file that changes is noticed."""

import os
import re
import threading
from pathlib import Path

import pytest

from weightzip.codec.source import ByteSource, FileSource, MemorySource
from weightzip.errors import SourceChanged, TruncatedData

DATA = bytes(range(256)) * 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with DATA."""
    path = tmp_path / "file"
    path.write_bytes(DATA)
    return path


def test_reads_are_exact_or_refused(path: Path) -> None:
    with FileSource(path) as file:
        sources: tuple[ByteSource, ...] = (file, MemorySource(DATA))
        for source in sources:
            assert source.size_bytes == len(DATA)
            assert bytes(source.read_at(100, 300)) == DATA[100:400]
            assert bytes(source.read_at(len(DATA), 0)) == b""
            for offset, n_bytes in [(len(DATA), 1), (0, len(DATA) + 1), (1 << 62, 1)]:
                with pytest.raises(TruncatedData, match="bytes wanted at"):
                    source.read_at(offset, n_bytes)


def test_threads_share_a_source(path: Path) -> None:
    wrong: list[int] = []
    with FileSource(path) as source:

        def read(start: int) -> None:
            for offset in range(start, len(DATA) - 64, 997):
                if source.read_at(offset, 64) != DATA[offset : offset + 64]:
                    wrong.append(offset)

        threads = [threading.Thread(target=read, args=(start,)) for start in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_a_file_cut_short_is_noticed_by_the_read(path: Path) -> None:
    with FileSource(path) as source:
        os.truncate(path, 10)
        with pytest.raises(SourceChanged, match="shorter"):
            source.read_at(0, 11)


def test_a_read_that_fails_names_the_file(path: Path) -> None:
    with FileSource(path) as source, path.open("ab") as write_only:
        os.dup2(write_only.fileno(), source._file.fileno())
        with pytest.raises(OSError, match=re.escape(str(path))):
            source.read_at(0, 1)


def test_changes_are_noticed_and_removal_is_none(path: Path) -> None:
    with FileSource(path) as source:
        source.check_unchanged()
        path.unlink()
        source.check_unchanged()
        path.write_bytes(DATA)
        with pytest.raises(SourceChanged, match="replaced"):
            source.check_unchanged()
    with FileSource(path) as source:
        os.utime(path, ns=(0, 1))
        with pytest.raises(SourceChanged, match="written to"):
            source.check_unchanged()
