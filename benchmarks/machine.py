"""What the figures were measured on: the product's own description, and the versions of what stands beside it."""

import re
from dataclasses import asdict
from importlib.metadata import version

from weightzip.files.bench import describe_machine

PACKAGES = ("numpy", "zstandard", "zipnn")


def describe_bench_machine() -> dict[str, object]:
    """Return processor, cores, memory, load of the moment, and versions."""
    return {**asdict(describe_machine()), "versions": {package: version(package) for package in PACKAGES}}


def name_folder(processor: object) -> str:
    """Return the name of the folder for the results of a processor."""
    return re.sub(r"[^a-z0-9]+", "-", str(processor).lower()).strip("-")
