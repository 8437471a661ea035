"""Trees of files and trees of archives."""

import os
from pathlib import Path

import pytest

from shards.build import write_step
from support.privileges import without_privileges
from weightzip.errors import ContentDiffers, NotFound, UsageError
from weightzip.files.directories.target import fill_directory
from weightzip.files.directories.tree import FilePair, Tree, pair_archives, pair_files, read_tree


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a directory with files, a link, an empty folder."""
    root = tmp_path / "tree"
    (root / "sub" / "empty").mkdir(parents=True)
    write_step(root, 1)
    (root / "sub" / "config.json").write_text("{}")
    (root / "latest").symlink_to("step-1.safetensors")
    (root / "dangling").symlink_to("nowhere")
    return root


def test_files_are_paired_by_relative_path(tree: Path, tmp_path: Path) -> None:
    base = tmp_path / "base"
    (base / "sub").mkdir(parents=True)
    (base / "sub" / "config.json.wzst").write_bytes(b"")
    target = tmp_path / "out"
    step, config = tree / "step-1.safetensors", tree / "sub" / "config.json"
    assert pair_files(read_tree(tree), target, base, compressing=True) == [
        FilePair(step.relative_to(tree), step, target / "step-1.safetensors.wzst", None),
        FilePair(
            config.relative_to(tree),
            config,
            target / "sub" / "config.json.wzst",
            base / "sub" / "config.json.wzst",
        ),
    ]


def test_a_file_that_is_no_archive_cannot_be_restored(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no archive"):
        pair_files(read_tree(tree), tmp_path / "out", None, compressing=False)


def test_bases_are_directories(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nowhere: no such directory"):
        pair_files(read_tree(tree), tmp_path / "out", tmp_path / "nowhere", compressing=True)
    with pytest.raises(UsageError, match="--base needs a directory"):
        pair_files(read_tree(tree), tmp_path / "out", tree / "step-1.safetensors", compressing=True)


def _write_archives(root: Path, tree: Path, *names: str) -> Tree:
    with fill_directory(read_tree(tree), root):
        for name in names:
            (root / name).touch()
    return read_tree(root)


def test_missing_and_surplus_archives_are_all_named(tree: Path, tmp_path: Path) -> None:
    archives = _write_archives(tmp_path / "archives", tree, "step-1.safetensors.wzst", "more.wzst")
    pairs, problems = pair_archives(read_tree(tree), archives, None)
    assert [str(pair.path) for pair in pairs] == ["step-1.safetensors"]
    missing, surplus = problems
    assert "config.json.wzst: no archive of" in str(missing)
    assert "more: no original of" in str(surplus)


def test_folders_and_links_are_compared_too(tree: Path, tmp_path: Path) -> None:
    names = ("step-1.safetensors.wzst", "sub/config.json.wzst", "weightzip-manifest.json")
    archives = _write_archives(tmp_path / "archives", tree, *names)
    assert pair_archives(read_tree(tree), archives, None)[1] == []
    (archives.root / "latest").unlink()
    (archives.root / "latest").symlink_to("elsewhere")
    _, problems = pair_archives(read_tree(tree), read_tree(archives.root), None)
    assert {type(problem) for problem in problems} == {ContentDiffers}
    assert "latest: folder or link differs" in str(problems[0])


def test_what_is_no_directory_says_so(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such directory"):
        read_tree(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="is a file, a directory was expected"):
        read_tree(tree / "step-1.safetensors")
    os.mkfifo(tree / "pipe")
    with pytest.raises(UsageError, match="neither file"):
        read_tree(tree)


def test_a_folder_that_may_not_be_read_is_never_left_out(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "sub").chmod(0o700 if os.geteuid() == 0 else 0)
    tree.chmod(0o755)
    monkeypatch.chdir(tree)  # the folders above may not be open to everybody
    try:
        with without_privileges(), pytest.raises(PermissionError, match="sub"):
            read_tree(Path())
    finally:
        (tree / "sub").chmod(0o700)


@pytest.mark.parametrize("name", ["sub/config.json.wzst", "weightzip-manifest.json"])
def test_two_things_of_one_name_are_refused(tree: Path, tmp_path: Path, name: str) -> None:
    (tree / name).symlink_to("elsewhere")
    with pytest.raises(UsageError, match="name of"):
        pair_files(read_tree(tree), tmp_path / "out", None, compressing=True)


def test_temporary_files_are_no_part_of_a_tree(tree: Path) -> None:
    before = read_tree(tree)
    (tree / "sub" / ".weightzip-0123456789abcdef.tmp").touch()
    assert read_tree(tree) == before
    (tree / "sub" / ".weightzip-notes").touch()
    assert read_tree(tree) != before
