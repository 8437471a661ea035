"""`python -m fuzz.parsers FOLDER [LIBFUZZER_OPTION...]`: coverage-guided fuzzing of the parsers, with Atheris.

The first byte of an input picks the target, the rest is for it. Everything is kept in FOLDER.
"""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["weightzip"]):
    from fuzz.parser_targets import TARGETS, check_target

from fuzz.parser_seeds import list_parser_seeds

NAMES = list(TARGETS)


def fuzz_parsers(data: bytes) -> None:
    """Give the data to the target that it picks."""
    if data:
        check_target(NAMES[data[0] % len(NAMES)], data[1:])


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
    atheris.Setup(
        [sys.argv[0], f"-artifact_prefix={folder}/", "-timeout=10", *sys.argv[2:], str(seeds)], fuzz_parsers
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
