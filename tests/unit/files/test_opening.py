"""open_archive on URLs and files."""

import socket
import uuid
from collections.abc import Callable
from pathlib import Path

import fsspec
import pytest
from fsspec.registry import known_implementations

from shards.build import build_step, write_step
from weightzip.daemon.store import open_store
from weightzip.errors import NotFound, StoreUnavailable, UsageError
from weightzip.files import compress_file, open_archive


def test_an_archive_at_a_url_gives_its_tensors(tmp_path: Path) -> None:
    archive = tmp_path / "a.wzst"
    compress_file(write_step(tmp_path, 2), archive, base=write_step(tmp_path, 1))
    url = f"memory://{uuid.uuid4()}/a.wzst"
    with fsspec.open(url, "wb") as file:
        file.write(archive.read_bytes())
    with open_archive(url, base=tmp_path / "step-1.safetensors") as opened:
        assert len(opened.keys()) == 8
        assert bytes(opened.tensor("model.weight").data) in build_step(2)
    with open_archive(f"file://{archive}", base=tmp_path / "step-1.safetensors") as opened:
        assert bytes(opened.tensor("model.half").data) in build_step(2)


def test_nothing_there_is_named(tmp_path: Path) -> None:
    for place in ("memory://nowhere/a.wzst", str(tmp_path / "nope")):
        with pytest.raises(NotFound, match=place):
            open_archive(place)
    with pytest.raises(StoreUnavailable, match="nosuchprotocol"):
        open_archive("nosuchprotocol://x/y")


@pytest.fixture
def free_port() -> int:
    """Return a port of this machine on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.parametrize(
    ("url", "options"),
    [
        ("http://127.0.0.1:{port}/a.wzst", {}),
        ("s3://bucket/a.wzst", {"key": "k", "secret": "s", "endpoint_url": "http://127.0.0.1:{port}"}),
        ("github://a.wzst", {}),
        ("http://[::1/a.wzst", {}),
    ],
)
def test_a_place_that_cannot_be_reached_is_not_called_empty(
    free_port: int, url: str, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    options = {key: value.format(port=free_port) for key, value in options.items()}
    with pytest.raises(StoreUnavailable, match=url.partition("://")[0]):
        open_archive(url.format(port=free_port), storage_options=options)


@pytest.mark.parametrize("open_url", [open_archive, open_store])
def test_a_package_that_is_not_installed_is_named(
    open_url: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    served_by = {"class": "absentfs.AbsentFileSystem", "err": "Install absentfs to access what is absent"}
    monkeypatch.setitem(known_implementations, "absent", served_by)
    with pytest.raises(UsageError, match=r"absent://bucket/a.wzst: .*pip install absentfs$"):
        open_url("absent://bucket/a.wzst")


def test_a_directory_is_no_archive(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="a directory"):
        open_archive(f"file://{tmp_path}")


def test_files_are_closed_with_the_archive(tmp_path: Path) -> None:
    archive = tmp_path / "a.wzst"
    compress_file(write_step(tmp_path, 2), archive, base=write_step(tmp_path, 1))
    opened = open_archive(archive, base=tmp_path / "step-1.safetensors")
    opened.close()
    with pytest.raises(ValueError, match="closed"):
        opened.tensor("model.weight")
