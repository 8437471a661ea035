"""Coverage-guided fuzzing of the native decoder for some seconds, the same runs every time. `make fuzz` goes on for longer."""

import shutil
import subprocess
from pathlib import Path

import pytest

from fuzz.group_seeds import list_group_seeds
from fuzz.groups import COMPILER, ROOT, fuzz_groups

N_RUNS = 8000


def _can_fuzz(folder: Path) -> bool:
    """Return whether there is a Clang with libFuzzer."""
    if shutil.which(COMPILER) is None:
        return False
    source = folder / "empty.cpp"
    source.write_text('extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }\n')
    command = [COMPILER, "-fsanitize=fuzzer,address", str(source), "-o", str(folder / "empty")]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_the_fuzzer_finds_nothing(tmp_path: Path) -> None:
    if not _can_fuzz(tmp_path):
        pytest.skip("no Clang with libFuzzer: apt-get install --no-install-recommends clang libclang-rt-dev")
    fuzz_groups(ROOT / "build" / "fuzz", ["-seed=1", f"-runs={len(list_group_seeds()) + N_RUNS}"])
