"""`python -m fuzz.parsers FOLDER [LIBFUZZER_OPTION...]`: coverage-guided fuzzing of the parsers, with Atheris.

The first byte of an input picks the target, the rest is for it. Everything is kept in FOLDER.
"""

import gc
import sys
from pathlib import Path
from types import FunctionType

import atheris

from fuzz.parser_seeds import list_parser_seeds
from fuzz.parser_targets import TARGETS, check_target

NAMES = list(TARGETS)


def fuzz_parsers(data: bytes) -> None:
    """Give the data to the target that it picks."""
    if data:
        check_target(NAMES[data[0] % len(NAMES)], data[1:])


def instrument_functions() -> None:
    """Let every function of ours tell which ways it takes. Atheris cannot at the import of an editable installation."""
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and str(function.__module__).startswith("weightzip."):
            atheris.instrument_func(function)


def write_seeds(folder: Path) -> None:
    """Write sound inputs for every target."""
    folder.mkdir(parents=True, exist_ok=True)
    for target, seeds in list_parser_seeds().items():
        for number, seed in enumerate(seeds):
            data = bytes([NAMES.index(target)]) + seed
            (folder / f"{target.replace(' ', '-')}-{number:03}").write_bytes(data)


def main() -> None:
    """Fuzz from the seeds until an option of libFuzzer says stop."""
    folder = Path(sys.argv[1])
    seeds = folder / "parser-seeds"
    write_seeds(seeds)
    instrument_functions()
    atheris.Setup(
        [sys.argv[0], f"-artifact_prefix={folder}/", "-timeout=10", *sys.argv[2:], str(seeds)], fuzz_parsers
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
