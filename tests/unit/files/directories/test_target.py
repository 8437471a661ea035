"""The directory that is being filled: what may stand in it, what goes, and what is left of a failure."""

import os
from pathlib import Path

import pytest

from weightzip.errors import TargetExists, UsageError
from weightzip.files.directories.target import check_place, clear_directory, fill_directory, list_standing
from weightzip.files.directories.tree import Tree, read_tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Return a directory with a file, links, an empty folder."""
    root = tmp_path / "tree"
    (root / "sub" / "empty").mkdir(parents=True)
    (root / "sub" / "config.json").write_text("{}")
    (root / "latest").symlink_to("sub/config.json")
    (root / "dangling").symlink_to("nowhere")
    return read_tree(root)


def list_names(root: Path) -> list[str]:
    """Return the paths of all that lies below a directory."""
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_folders_links_modes_and_times_are_kept(tree: Tree, tmp_path: Path) -> None:
    (tree.root / "sub").chmod(0o750)
    os.utime(tree.root / "sub", ns=(1, 2_000_000_000))
    target = tmp_path / "new" / "out"
    with fill_directory(tree, target):
        (target / "sub" / "config.json.wzst").write_bytes(b"")
    assert list_names(target) == ["dangling", "latest", "sub", "sub/config.json.wzst", "sub/empty"]
    assert (target / "latest").readlink() == Path("sub/config.json")
    assert (target / "sub").stat().st_mode & 0o777 == 0o750
    assert (target / "sub").stat().st_mtime_ns == 2_000_000_000


def test_a_failure_leaves_no_empty_folders(tree: Tree, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), fill_directory(tree, tmp_path / "new" / "out"):
        raise RuntimeError
    assert not (tmp_path / "new").exists()
    with pytest.raises(RuntimeError), fill_directory(tree, tmp_path / "out"):
        (tmp_path / "out" / "sub" / "config.json.wzst").touch()
        raise RuntimeError
    assert list_names(tmp_path / "out") == ["sub", "sub/config.json.wzst"]


def test_places_that_cannot_take_a_directory_are_refused(tree: Tree, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="lies within"):
        check_place(tree.root / "sub" / "out", tree.root, [])
    with pytest.raises(UsageError, match=r"holds .*tree, which is read"):
        check_place(tmp_path, tree.root, [])
    with pytest.raises(UsageError, match=r"holds .*base, which is read"):
        check_place(tmp_path / "out", tree.root, [tmp_path / "out" / "base"])
    (tmp_path / "elsewhere").touch()
    for name, text in (("loop", "loop"), ("dangling", "nowhere"), ("file", "elsewhere")):
        (tmp_path / name).symlink_to(text)
        with pytest.raises(UsageError, match=f"{name}: is no directory"):
            check_place(tmp_path / name, tree.root, [])
    check_place(tmp_path / "out", tree.root, [tmp_path])


def test_what_has_no_place_in_the_target_is_in_the_way(tree: Tree, tmp_path: Path) -> None:
    target = tmp_path / "out"
    file = target / "sub" / "config.json.wzst"
    assert list_standing(tree, target, {file}) == []
    with fill_directory(tree, target):
        file.touch()
        (target / "sub" / ".weightzip-0123456789abcdef.tmp").touch()
    assert list_standing(tree, target, {file}) == [file]
    assert list(file.parent.glob(".weightzip-*")) == []
    (target / "latest").unlink()
    (target / "latest").symlink_to("elsewhere")
    with pytest.raises(TargetExists, match="latest: already exists"):
        list_standing(tree, target, {file})
    (target / "latest").unlink()
    (target / "weightzip-manifest.json").touch()
    with pytest.raises(TargetExists, match="weightzip-manifest"):
        list_standing(tree, target, {file})


def test_clearing_leaves_what_will_be_replaced_and_follows_no_link(tree: Tree, tmp_path: Path) -> None:
    victim, target = tmp_path / "victim", tmp_path / "out"
    victim.mkdir()
    (victim / "precious").touch()
    (target / "old" / "deep").mkdir(parents=True)
    (target / "old" / "deep" / "file").touch()
    (target / "sub").mkdir()
    (target / "sub" / "config.json.wzst").touch()
    (target / "sub" / "empty").symlink_to(victim)
    (target / "latest").mkdir()
    (target / "weightzip-manifest.json").touch()
    clear_directory(tree, target, {target / "sub" / "config.json.wzst"})
    assert list_names(target) == ["sub", "sub/config.json.wzst"]
    assert list_names(victim) == ["precious"]


def test_a_folder_where_a_file_shall_be_goes(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "out" / "a" / "b").mkdir(parents=True)
    clear_directory(tree, tmp_path / "out", {tmp_path / "out" / "a"})
    assert list_names(tmp_path / "out") == []
