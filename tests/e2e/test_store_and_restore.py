"""The whole way, by the commands a user types: a watched folder into a real S3 server, and every checkpoint back."""

import json
import os
import subprocess
import sysconfig
from pathlib import Path

from servers.location import S3Location

WEIGHTZIP = Path(sysconfig.get_path("scripts"), "weightzip")


def _weightzip(*arguments: object, environment: dict[str, str]) -> str:
    command = [str(WEIGHTZIP), *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _list_files(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Return content, mode and modification time of every file, by its path below `folder`."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_every_checkpoint_comes_back_from_s3(
    checkpoints: Path, s3_store_url: S3Location, tmp_path: Path
) -> None:
    url = s3_store_url.url
    environment = {
        **s3_store_url.environment,
        "WEIGHTZIP_STATE__DIR": str(tmp_path / "state"),
        "WEIGHTZIP_SOURCE__QUIET_PERIOD": "200ms",
        "WEIGHTZIP_SERVER__LISTEN": "127.0.0.1:0",
    }
    _weightzip("run", "--once", "--watch", checkpoints, "--store", url, environment=environment)

    listing = _weightzip("list", url, "--json", environment=environment)
    names = {path.name for path in checkpoints.iterdir()}
    assert {json.loads(line)["name"] for line in listing.splitlines()} == names

    for name in names:
        _weightzip("restore", url, name, "--to", tmp_path / "restored", environment=environment)
    assert _list_files(tmp_path / "restored") == _list_files(checkpoints)
