"""What archives say they need: found by digest, ordered, and read only when something is asked for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shards.build import write_step
from shards.related import write_related
from support.chains import write_chain
from weightzip.codec.archive_info import ReferenceInfo
from weightzip.errors import TruncatedData
from weightzip.files import compress_file
from weightzip.files.catalog import MAX_STEPS, Catalog, CatalogEntry, order_by_need


def _entry(restores: str, *needed: str, name: str = "") -> CatalogEntry:
    return CatalogEntry(
        Path(name or restores), restores, tuple(ReferenceInfo(digest, 0, is_needed=True) for digest in needed)
    )


A, B, C = _entry("a"), _entry("b", "a"), _entry("c", "b", "elsewhere")


@pytest.mark.parametrize(
    ("entries", "ordered"),
    [
        ([C, B, A], [A, B, C]),
        ([C, A], [C, A]),  # what only others have is waited for in vain
        ([_entry("a", "a")], [_entry("a", "a")]),
        ([_entry("a", "a", name="copy"), A], [A, _entry("a", "a", name="copy")]),
        (
            [B, _entry("a", "a", name="one"), _entry("a", "a", name="two")],
            [_entry("a", "a", name="one"), _entry("a", "a", name="two"), B],
        ),
        ([_entry("x", "y"), _entry("y", "x"), A], [A, _entry("x", "y"), _entry("y", "x")]),
        ([], []),
    ],
)
def test_each_comes_after_what_it_needs(entries: list[CatalogEntry], ordered: list[CatalogEntry]) -> None:
    assert order_by_need(entries) == ordered


def test_a_long_chain_is_ordered() -> None:
    chain = [_entry("0"), *(_entry(str(number), str(number - 1)) for number in range(1, 2000))]
    assert order_by_need(chain[::-1]) == chain


@pytest.fixture
def archives(tmp_path: Path) -> Path:
    """Return a folder with a model that leans on an optimizer that leans on an earlier one, and what is no archive."""
    folder = tmp_path / "archives"
    folder.mkdir()
    _, earlier = write_related(tmp_path, 1)
    model, optimizer = write_related(tmp_path, 2)
    compress_file(earlier, folder / "earlier.wzst")
    compress_file(optimizer, folder / "optimizer.wzst", base=earlier)
    compress_file(model, folder / "model.wzst", beside=[optimizer])
    compress_file(write_step(tmp_path, 1), folder / "other.wzst")
    (folder / "cut.wzst").write_bytes((folder / "other.wzst").read_bytes()[:50])
    return folder


def test_needed_archives_are_found_and_come_in_order(archives: Path) -> None:
    catalog = Catalog(archives.iterdir())
    model = archives / "model.wzst"
    entry = catalog.find(model)
    assert entry is not None
    needed = catalog.list_needed(model, entry.needed_digests)
    assert [one.archive.name for one in needed] == ["earlier.wzst", "optimizer.wzst"]
    assert catalog.list_needed(model, ["00" * 32]) == []


def test_an_archive_is_no_source_for_itself(archives: Path) -> None:
    (archives / "twin.wzst").write_bytes((archives / "other.wzst").read_bytes())
    catalog = Catalog(archives.iterdir())
    twin = catalog.find(archives / "twin.wzst")
    assert twin is not None
    (found,) = catalog.list_needed(twin.archive, [twin.file_digest])
    assert found.archive.name == "other.wzst"


def test_what_cannot_be_read_is_told_apart(archives: Path) -> None:
    catalog = Catalog(archives.iterdir())
    assert [type(error) for error in catalog.unreadable.values()] == [TruncatedData]
    assert catalog.find(archives / "cut.wzst") is None
    assert [entry.archive.name for entry in catalog.entries] == [
        "earlier.wzst",
        "model.wzst",
        "optimizer.wzst",
        "other.wzst",
    ]


def test_nothing_is_read_before_something_is_asked_for() -> None:
    def list_paths() -> Iterator[Path]:
        raise AssertionError("asked for")
        yield Path()

    catalog = Catalog(list_paths())
    with pytest.raises(AssertionError):
        catalog.find(Path("a"))


def test_a_chain_is_followed_only_so_far(tmp_path: Path) -> None:
    archives = write_chain(tmp_path, MAX_STEPS + 3)
    catalog = Catalog(archives)
    last = catalog.find(archives[-1])
    assert last is not None
    needed = catalog.list_needed(last.archive, last.needed_digests)
    assert [entry.archive for entry in needed] == archives[2:-1]
