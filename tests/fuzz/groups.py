"""`python -m fuzz.groups FOLDER [LIBFUZZER_OPTION...]`: coverage-guided fuzzing of the native decoder, with libFuzzer.

Needs Clang with its runtime library (`apt-get install clang libclang-rt-dev`). Everything is built and kept in FOLDER.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from fuzz.group_seeds import list_group_seeds

ROOT = Path(__file__).parents[2]
COMPILER = "clang++"
# The least that makes the sanitizers' checks quick; more takes longer to build than it gains.
_OPTIONS = [
    "-DWEIGHTZIP_NATIVE_TESTS=ON",
    f"-DCMAKE_CXX_COMPILER={COMPILER}",
    "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g",
]


def build_fuzzer(folder: Path) -> Path:
    """Return the fuzzer, of which only what has changed is built."""
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *_OPTIONS], check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", "2", "--target", "fuzz_groups"], check=True)
    return folder / "tests" / "native" / "fuzz_groups"


def fuzz_groups(folder: Path, options: Sequence[str]) -> None:
    """Build the fuzzer, write its seeds, and run it from them.

    Raises:
        CalledProcessError: it found something, and says where it has put that.
    """
    fuzzer = build_fuzzer(folder / "build")
    seeds = folder / "group-seeds"
    seeds.mkdir(exist_ok=True)
    for number, seed in enumerate(list_group_seeds()):
        (seeds / f"{number:04}").write_bytes(seed)
    subprocess.run([fuzzer, f"-artifact_prefix={folder}/", "-timeout=10", *options, seeds], check=True)


if __name__ == "__main__":
    fuzz_groups(Path(sys.argv[1]), sys.argv[2:])
