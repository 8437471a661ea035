"""The tour of the README, run as it stands."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_tour_works(tmp_path: Path) -> None:
    (script,) = re.findall(
        r"^```bash\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    environment = {
        **os.environ,
        "PATH": f"{sysconfig.get_path('scripts')}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),  # the tour starts in the repository, this test elsewhere
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "WEIGHTZIP_SERVER__LISTEN": "127.0.0.1:0",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split()[-1] == "trainer_state.json"
