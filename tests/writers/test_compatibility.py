"""docs/compatibility.md says of every format what trying it out shows, no more and no less."""

from pathlib import Path

import pytest

from writers.compatibility import DOCUMENT, HEAD, examine_format
from writers.formats import FORMATS


def read_rows() -> list[str]:
    _, _, table = DOCUMENT.read_text().partition(f"| {HEAD[0]} |")
    return [line for line in table.partition("\n\n")[0].splitlines()[2:] if line]


@pytest.mark.parametrize("name", FORMATS)
def test_the_document_says_what_is_true(name: str, written: Path, tmp_path: Path) -> None:
    row = examine_format(FORMATS[name], written / name, tmp_path)
    assert (row.restored, row.loads) == ("yes", "yes")
    assert row.format() in read_rows(), "make compatibility writes the table anew"


def test_the_document_knows_each_format_once() -> None:
    titles = [line.split(" | ")[0].removeprefix("| ") for line in read_rows()]
    assert titles == [one.title for one in FORMATS.values()]
