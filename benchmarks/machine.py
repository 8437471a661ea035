"""What the figures were measured on."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from weightzip.codec._native import cpu_features

PACKAGES = ("weightzip", "numpy", "zstandard", "zipnn")


def describe_machine() -> dict[str, object]:
    """Return processor, cores, memory, versions and the load of the moment."""
    return {
        "processor": _read_processor(),
        "n_cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "system": platform.system(),
        "python": platform.python_version(),
        "cpu_features": cpu_features(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
        "versions": {package: version(package) for package in PACKAGES},
    }


def _read_processor() -> str:
    fields = dict(
        line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().splitlines() if ":" in line
    )
    named = {key.strip(): value.strip() for key, value in fields.items()}
    family, model = named.get("cpu family", "?"), named.get("model", "?")
    return f"{named.get('model name', platform.machine())}, family {family}, model {model}"
