"""What names say: the step of a checkpoint, names without their numbers, what is a writer's temporary file."""

import fnmatch
import re
from collections import Counter
from collections.abc import Iterable

TEMPORARY_NAMES = (
    ".tmp*",
    "*.tmp",
    "*.part",
    "*.partial",
    "*.incomplete",
    "*.dirty*",
    ".nfs*",
    "tmp-checkpoint-*",
    "*.orbax-checkpoint-tmp*",
    "checkpoint_tmp",
    "*.sync",
    "*.lock",
    "*-unfinished",
    "*-no-optim",
    "._dlrover_ckpt_stage",
    ".weightzip-*",
)
SHARD_SUFFIXES = frozenset(
    {
        ".safetensors",
        ".pt",
        ".pth",
        ".bin",
        ".ckpt",
        ".distcp",
        ".npz",
        ".npy",
        ".msgpack",
        ".gguf",
        ".nemo",
        ".pkl",
    }
)
_STEP_PATTERNS = (
    re.compile(r"step[=_-]?(\d+)"),
    re.compile(r"iter(?:ation)?[=_-]?(\d+)"),
    re.compile(r"(\d+)(?!.*\d)"),
)
_DIGITS = re.compile(r"\d+")
_MAX_STEP = 10**12 - 1


def read_step(name: str) -> int | None:
    """Return the training step that a name tells (`checkpoint-500`, `epoch=1-step=200.ckpt`), None if it tells none."""
    for pattern in _STEP_PATTERNS:
        match = pattern.search(name)
        if match is not None:
            step = int(match.group(1))
            return step if step <= _MAX_STEP else None
    return None


def strip_numbers(name: str) -> str:
    """Return a name with every number replaced by `#`, so that the same file of two checkpoints compares equal."""
    return _DIGITS.sub("#", name)


def count_shapes(paths: Iterable[str]) -> Counter[str]:
    """Count the paths of a checkpoint by their names without numbers."""
    return Counter(strip_numbers(path) for path in paths)


def is_temporary(name: str) -> bool:
    """Say whether a file or directory name is one that writers use before they rename."""
    return matches_any(name, TEMPORARY_NAMES)


def matches_any(name: str, patterns: Iterable[str]) -> bool:
    """Say whether a name matches one of several glob patterns."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def is_shard_name(name: str) -> bool:
    """Say whether a file name has an ending that checkpoints are made of."""
    dot = name.rfind(".")
    return dot > 0 and name[dot:] in SHARD_SUFFIXES
