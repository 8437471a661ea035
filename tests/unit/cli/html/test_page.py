"""The HTML page of a report: well-formed, complete in itself, and safe whatever the names."""

import re
from html.parser import HTMLParser

import pytest

from support.bench_reports import make_file, make_report
from weightzip.cli.html import render_page
from weightzip.cli.html.plots import MAX_SPEED_FILES
from weightzip.files.bench import BenchReport

_VOID = {"meta"}
_HOSTILE = "</td><script>alert(1)</script>\"'&\x1b[31m\u202e\ud800 end"


class _Page(HTMLParser):
    """Checks that elements close in order, and keeps which there are, their attributes and the text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs
        if tag not in {*_VOID, "wbr"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


REPORTS = {
    "one file": make_report(make_file()),
    "against a predecessor": make_report(make_file(base="old/a", leans=True), make_file("b", base="old/b")),
    "empty file": make_report(make_file(raw_bytes=0, stored_bytes=125)),
    "larger than before": make_report(make_file(raw_bytes=200, stored_bytes=500)),
    "many files": make_report(*(make_file(f"shard-{number}") for number in range(50))),
    "from a disk": make_report(make_file(disk_bytes=4_000_000)),
    "hostile names": make_report(make_file(_HOSTILE, base=_HOSTILE, leans=True, tensor_name=_HOSTILE)),
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_the_page_is_well_formed_and_needs_nothing_else(report: BenchReport) -> None:
    text = render_page(report)
    page = _Page(text)
    assert not {"script", "link", "img", "iframe", "object", "base"} & set(page.names)
    assert not {"href", "src", "style"} & {name for name, _ in page.attributes}
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import|https?:", text)
    assert text.encode().startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_every_bar_lies_in_its_plot(report: BenchReport) -> None:
    text = render_page(report)
    widths = [float(width) for width in re.findall(r'<rect[^>]* width="([^"]+)"', text)]
    assert all(0 <= width <= 430 for width in widths)
    assert len(widths) >= (2 if report.raw_bytes else 0)


def test_hostile_names_are_shown_and_do_nothing() -> None:
    text = render_page(REPORTS["hostile names"])
    assert "<script" not in text
    assert not {"\x1b", "\u202e"} & set(text)
    assert "</td><script>alert(1)</script>\"'&\\x1b[31m\\u202e\\ud800 end" in _Page(text).text


def test_the_page_says_what_was_measured() -> None:
    text = _Page(render_page(REPORTS["against a predecessor"])).text
    for fact in (
        "0.750",
        "2.00 GB/s",
        "4.00 GB/s",
        "Some <CPU>, family 1, model 2",
        "weightzip 1.2.3",
        "2026-01-02 03:04 UTC",
        "2 threads",
        "150 MB",
        "1 of them against a predecessor",
        "alone (no use of old/b)",
        "same BLAKE3 digest, same bytes",
    ):
        assert fact in text


def test_a_speed_that_is_the_disks_is_said_to_be() -> None:
    assert "from a disk" in render_page(REPORTS["from a disk"])
    assert "from a disk" not in render_page(REPORTS["one file"])


def test_of_many_files_the_largest_are_drawn_and_all_are_listed() -> None:
    text = render_page(REPORTS["many files"])
    assert text.count('class="encode"') == MAX_SPEED_FILES
    assert "shard-49" in text
