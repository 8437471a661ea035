"""Builds the native core with address and undefined-behaviour sanitizers and runs the C++ tests on it."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def build_folder() -> Path:
    """Build once a run, in a folder that git ignores, so that the next run builds only what has changed."""
    folder = ROOT / "build" / "sanitizers"
    options = ["-DWEIGHTZIP_NATIVE_TESTS=ON", "-DWEIGHTZIP_WERROR=ON", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"]
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *options], check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", "2"], check=True)
    return folder / "tests" / "native"


@pytest.mark.slow
@pytest.mark.parametrize("program", ["check_kernels", "check_predict"])
def test_kernels_agree(build_folder: Path, program: str) -> None:
    subprocess.run([build_folder / program], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_no_damage_gets_past_the_reader(build_folder: Path, seed: int) -> None:
    subprocess.run([build_folder / "fuzz_decode", "50000", str(seed)], check=True)
