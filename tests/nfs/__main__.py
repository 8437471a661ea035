"""`python -m nfs`: boot a User-Mode Linux and try the daemon on a real NFS mount in it. Needs root and its packages."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parents[1]
TIMEOUT_SECONDS = 400


def main() -> None:
    """Print what the guest says, and exit with 1 unless all was well."""
    with tempfile.TemporaryDirectory(prefix="weightzip-nfs-") as folder:
        written, work = Path(folder) / "written", Path(folder) / "work"
        work.mkdir()
        environment = {**os.environ, "PYTHONPATH": str(TESTS)}
        command = [sys.executable, "-m", "writers", str(written), "--only", "hf_trainer"]
        subprocess.run(command, check=True, env=environment)
        kernel = [
            "linux.uml",
            "mem=768M",
            "root=/dev/root",
            "rootfstype=hostfs",
            "rootflags=/",
            "rw",
            "quiet",
        ]
        kernel += ["con0=null,fd:1", "con=null", f"init={TESTS / 'nfs' / 'guest.sh'}", "--"]
        kernel += [sys.executable, str(TESTS), str(written / "hf-trainer"), str(work)]
        done = subprocess.run(
            kernel,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
    print(done.stdout)
    sys.exit("NFS: all is well" not in done.stdout)


if __name__ == "__main__":
    main()
