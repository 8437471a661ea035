"""Trees of files and trees of archives."""

import os
from pathlib import Path

import pytest

from shards.build import write_step
from support.privileges import without_privileges
from weightzip.errors import ContentDiffers, NotFound, TargetExists, UsageError
from weightzip.files.directories.tree import FilePair, pair_archives, pair_files, prepare_directory


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


def test_folders_links_modes_and_times_are_kept(tree: Path, tmp_path: Path) -> None:
    (tree / "sub").chmod(0o750)
    os.utime(tree / "sub", ns=(1, 2_000_000_000))
    target = tmp_path / "out"
    with prepare_directory(tree, target, force=False):
        (target / "sub" / "config.json.wzst").write_bytes(b"")
    assert (target / "sub" / "empty").is_dir()
    assert (target / "latest").readlink() == Path("step-1.safetensors")
    assert (target / "dangling").is_symlink()
    assert (target / "sub").stat().st_mode & 0o777 == 0o750
    assert (target / "sub").stat().st_mtime_ns == 2_000_000_000


def test_files_are_paired_by_relative_path(tree: Path, tmp_path: Path) -> None:
    base = tmp_path / "base"
    (base / "sub").mkdir(parents=True)
    (base / "sub" / "config.json.wzst").write_bytes(b"")
    target = tmp_path / "out"
    step, config = tree / "step-1.safetensors", tree / "sub" / "config.json"
    assert list(pair_files(tree, target, base, compressing=True)) == [
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
        list(pair_files(tree, tmp_path / "out", None, compressing=False))


def test_missing_and_surplus_archives_are_named(tree: Path, tmp_path: Path) -> None:
    archives = tmp_path / "archives"
    with prepare_directory(tree, archives, force=False):
        (archives / "step-1.safetensors.wzst").write_bytes(b"")
    with pytest.raises(NotFound, match=r"config\.json\.wzst: no archive of"):
        list(pair_archives(tree, archives, None))
    (archives / "sub" / "config.json.wzst").write_bytes(b"")
    (archives / "more.wzst").write_bytes(b"")
    with pytest.raises(NotFound, match="no original of"):
        list(pair_archives(tree, archives, None))


def test_targets_in_the_way_are_refused(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="lies within"), prepare_directory(tree, tree / "sub", force=True):
        pass
    with pytest.raises(TargetExists), prepare_directory(tree, tmp_path, force=False):
        pass
    os.mkfifo(tree / "pipe")
    with (
        pytest.raises(UsageError, match="neither file"),
        prepare_directory(tree, tmp_path / "o", force=False),
    ):
        pass


def test_a_folder_that_may_not_be_read_is_never_left_out(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "sub").chmod(0o700 if os.geteuid() == 0 else 0)
    tree.chmod(0o755)
    monkeypatch.chdir(tree)  # the folders above may not be open to everybody
    try:
        with without_privileges(), pytest.raises(PermissionError, match="sub"):
            list(pair_files(Path(), tmp_path / "out", None, compressing=True))
    finally:
        (tree / "sub").chmod(0o700)


def test_links_in_the_target_lead_nowhere(tree: Path, tmp_path: Path) -> None:
    victim, target = tmp_path / "victim", tmp_path / "out"
    victim.mkdir()
    target.mkdir()
    (target / "sub").symlink_to(victim)
    with prepare_directory(tree, target, force=True):
        (target / "sub" / "config.json.wzst").write_bytes(b"")
    assert list(victim.iterdir()) == []
    assert not (target / "sub").is_symlink()


@pytest.mark.parametrize("name", ["loop", "loop/below", "file", "dangling"])
def test_a_target_that_is_no_directory_is_refused(tree: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "file").touch()
    with (
        pytest.raises((UsageError, OSError), match=name),
        prepare_directory(tree, tmp_path / name, force=True),
    ):
        pass


def test_two_things_of_one_name_are_refused(tree: Path, tmp_path: Path) -> None:
    (tree / "sub" / "config.json.wzst").symlink_to("elsewhere")
    with pytest.raises(UsageError, match=r"config\.json: would get the name of"):
        list(pair_files(tree, tmp_path / "out", None, compressing=True))


def test_folders_and_links_are_compared_too(tree: Path, tmp_path: Path) -> None:
    archives = tmp_path / "archives"
    with prepare_directory(tree, archives, force=False):
        for name in ("step-1.safetensors.wzst", "sub/config.json.wzst"):
            (archives / name).write_bytes(b"")
    assert len(list(pair_archives(tree, archives, None))) == 2
    (archives / "latest").unlink()
    (archives / "latest").symlink_to("elsewhere")
    with pytest.raises(ContentDiffers, match="latest"):
        list(pair_archives(tree, archives, None))
    with pytest.raises(NotFound, match="no such directory"):
        list(pair_archives(archives / "sub" / "empty", tmp_path / "nowhere", None))
