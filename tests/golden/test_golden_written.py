"""Files that real libraries wrote, read without them: the same tensors as ever, and every byte comes back.

`make_written_files.py` made them; the versions of the libraries stand in `written/expected.json`.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from golden.written_layouts import EXPECTED, TARGET, describe_layout, list_golden_files
from weightzip import compress_file, decompress_file

FILES: dict[str, Any] = json.loads(EXPECTED.read_text())["files"]


@pytest.mark.parametrize("name", FILES)
def test_the_tensors_of_a_file_are_found(name: str) -> None:
    assert describe_layout(TARGET / name) == FILES[name]


@pytest.mark.parametrize("name", FILES)
def test_a_file_comes_back(name: str, tmp_path: Path) -> None:
    compress_file(TARGET / name, tmp_path / "archive", n_threads=1)
    decompress_file(tmp_path / "archive", tmp_path / "restored", n_threads=1)
    assert (tmp_path / "restored").read_bytes() == (TARGET / name).read_bytes()


def test_no_file_is_missing() -> None:
    assert list_golden_files() == sorted(FILES)
