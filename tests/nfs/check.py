"""`python -m nfs.check SOURCE WORK`, within the guest: crashes, restarts and rotation on the server, a daemon on the client.

The client hears nothing of what happens on the server, and believes for seconds what it saw before.
"""

import argparse
import random
import time
from pathlib import Path

from support.daemon_process import DaemonProcess
from support.training_process import check_committed, training
from weightzip.daemon.watch.mounts import read_file_system

N_KILLS = 3
# The client may be wrong about sizes for six seconds (measured), so silence must be longer than that.
SETTINGS = {"WEIGHTZIP_SOURCE__QUIET_PERIOD": "8s", "WEIGHTZIP_SOURCE__RESCAN_INTERVAL": "1s"}


def main() -> None:
    """Let a trainer die and start again; raise AssertionError if anything but its checkpoints was committed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("work", type=Path)
    arguments = parser.parse_args()
    source, work = arguments.source, arguments.work
    assert read_file_system(work / "client") == "nfs4"
    dice = random.Random(1)
    daemon = DaemonProcess(work, work / "client", str(work / "store"), SETTINGS)
    daemon.start_and_wait()
    try:
        for _ in range(N_KILLS):
            with training(source, work / "server", "--pause", "0.1"):
                time.sleep(dice.uniform(1.0, 4.0))
            time.sleep(dice.uniform(0.0, 10.0))
        with training(source, work / "server", "--keep", "1", "--rest", "30") as trainer:
            daemon.wait_committed(9, 10, 12, seconds=150)
            trainer.kill()
        assert daemon.terminate() == 0
    finally:
        daemon.kill()
    assert set(check_committed(work, source)) == {9, 10, 12}


if __name__ == "__main__":
    main()
