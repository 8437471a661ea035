"""The manifest of a directory of archives: there and back, and hostile ones."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from shards.build import write_step
from weightzip.errors import CorruptData, UnsupportedVersion
from weightzip.files import check_directory, compress_directory, decompress_directory, verify_directory
from weightzip.files.directories.manifest import ListedFile, Manifest, read_manifest, write_manifest

_NAME = "weightzip-manifest.json"
_DIGEST = "0" * 64


@pytest.fixture
def archives(tmp_path: Path) -> Path:
    """Return a directory of archives of two files, a folder and a link."""
    source = tmp_path / "source"
    (source / "sub" / "empty").mkdir(parents=True)
    write_step(source, 1).rename(source / "a")
    (source / "sub" / "b").write_text("leans on nothing")
    (source / "latest").symlink_to("a")
    compress_directory(source, tmp_path / "archives")
    return tmp_path / "archives"


def test_a_manifest_comes_back_with_any_name(tmp_path: Path) -> None:
    odd = Path(os.fsdecode(b"no utf-8 \xff\n")) / "b"
    manifest = Manifest(
        {Path("a"): ListedFile(0, _DIGEST), odd: ListedFile(1 << 62, "f" * 64)},
        frozenset([odd.parent]),
        {Path("link"): "../out"},
    )
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest
    assert read_manifest(tmp_path / "nowhere") is None


def test_it_is_written_last_and_lists_all(archives: Path) -> None:
    content = json.loads((archives / _NAME).read_text())
    assert (list(content["files"]), content["folders"], content["links"]) == (
        ["a", "sub/b"],
        ["sub", "sub/empty"],
        {"latest": "a"},
    )


@pytest.mark.parametrize("lost", ["a.wzst", "sub/b.wzst", "sub/empty", "latest"])
def test_what_is_lost_is_named_and_the_rest_restored(archives: Path, tmp_path: Path, lost: str) -> None:
    path = archives / lost
    path.rmdir() if path.is_dir() else path.unlink()
    with pytest.raises(CorruptData, match=lost):
        check_directory(archives)
    with pytest.raises(CorruptData, match=lost):
        decompress_directory(archives, tmp_path / "out")
    restored = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert restored >= {"a", "b"} - {Path(lost).name.removesuffix(".wzst")}


def test_archives_of_other_checkpoints_are_not_restored(archives: Path, tmp_path: Path) -> None:
    (archives / "a.wzst").rename(archives / "rank-7.wzst")
    (archives / "a.wzst").write_bytes((archives / "sub" / "b.wzst").read_bytes())
    for call in (
        lambda: check_directory(archives),
        lambda: decompress_directory(archives, tmp_path / "out"),
    ):
        with pytest.raises(CorruptData, match="2 files failed") as caught:
            call()
        assert "a.wzst: restores another file than" in str(caught.value)
        assert "rank-7.wzst: weightzip-manifest.json does not list it" in str(caught.value)
        assert "b.wzst" not in str(caught.value)
    assert [path.name for path in (tmp_path / "out").rglob("*") if path.is_file()] == ["b"]
    with pytest.raises(
        CorruptData, match=r"(?s)no original of .*rank-7\.wzst.*a\.wzst: restores another file"
    ):
        verify_directory(tmp_path / "source", archives)


def test_a_directory_without_one_still_reads(archives: Path, tmp_path: Path) -> None:
    (archives / _NAME).unlink()
    with pytest.warns(UserWarning, match="whether archives are missing is unknown"):
        decompress_directory(archives, tmp_path / "out")
    with pytest.warns(UserWarning, match="unknown"):
        assert len(verify_directory(tmp_path / "source", archives)) == 2


def _change(content: dict[str, Any], field: str, value: object) -> dict[str, Any]:
    return content | {field: value}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("files", {"../a": {"size_bytes": 1, "digest": _DIGEST}}),
        ("files", {"/a": {"size_bytes": 1, "digest": _DIGEST}}),
        ("files", {"sub//b": {"size_bytes": 1, "digest": _DIGEST}}),
        ("files", {"a\0": {"size_bytes": 1, "digest": _DIGEST}}),
        ("files", {"": {"size_bytes": 1, "digest": _DIGEST}}),
        ("files", {"a": {"size_bytes": -1, "digest": _DIGEST}}),
        ("files", {"a": {"size_bytes": True, "digest": _DIGEST}}),
        ("files", {"a": {"size_bytes": 1, "digest": "0"}}),
        ("files", {"a": {"size_bytes": 1, "digest": "G" * 64}}),
        ("files", {"a": {"size_bytes": 1}}),
        ("files", {"a": 1}),
        ("files", []),
        ("folders", ["."]),
        ("folders", {"sub": 1}),
        ("folders", ["sub/.."]),
        ("links", {"latest": 1}),
        ("links", {"x/../../y": "a"}),
        ("format", "another"),
        ("version", "1"),
    ],
)
def test_hostile_content_is_named(archives: Path, tmp_path: Path, field: str, value: object) -> None:
    path = archives / _NAME
    path.write_text(json.dumps(_change(json.loads(path.read_text()), field, value)))
    with pytest.raises(CorruptData, match="is no sound manifest"):
        check_directory(archives)
    with pytest.raises(CorruptData, match="is no sound manifest"):
        decompress_directory(archives, tmp_path / "out")
    assert (tmp_path / "out" / "sub" / "b").read_bytes() == (tmp_path / "source" / "sub" / "b").read_bytes()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["archives", "out", "source"]


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[" * 200_000, b"[]", b"\xff", b'{"version": ' + b"9" * 5000 + b"}"]
)
def test_what_is_no_manifest_is_named(archives: Path, data: bytes) -> None:
    (archives / _NAME).write_bytes(data)
    with pytest.raises(CorruptData, match="is no sound manifest"):
        check_directory(archives)


def test_a_newer_one_and_a_huge_one_are_not_read(archives: Path) -> None:
    path = archives / _NAME
    path.write_text(json.dumps(_change(json.loads(path.read_text()), "version", 2)))
    with pytest.raises(UnsupportedVersion, match="reads up to 1"):
        check_directory(archives)
    os.truncate(path, 1 << 40)
    with pytest.raises(CorruptData, match="a manifest has no more than"):
        check_directory(archives)
