"""What figures are measured on: processor, memory, versions, and what the system counts for this process."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from weightzip.codec.backend import list_cpu_features
from weightzip.codec.format.limits import FORMAT_VERSION
from weightzip.files.bench.report import Machine


def describe_machine() -> Machine:
    """Return the machine as it is now."""
    return Machine(
        processor=_read_processor(),
        n_cores=os.cpu_count() or 1,
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        cpu_features=tuple(list_cpu_features()),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        weightzip=version("weightzip"),
        format_version=FORMAT_VERSION,
        load_average=round(os.getloadavg()[0], 2),
    )


def read_memory_bytes() -> tuple[int, int]:
    """Return how much memory of this process is resident now, and was at most since it began."""
    fields = _read_fields(Path("/proc/self/status").read_text())
    now, peak = (int(fields[name].removesuffix("kB")) * 1024 for name in ("VmRSS", "VmHWM"))
    return now, peak


def read_disk_bytes() -> int | None:
    """Return how many bytes this process has read from disks so far, None where the system does not tell."""
    try:
        return int(_read_fields(Path("/proc/self/io").read_text())["read_bytes"])
    except (OSError, KeyError):  # some containers hide it
        return None


def _read_processor() -> str:
    fields = _read_fields(Path("/proc/cpuinfo").read_text())
    name = fields.get("model name", platform.machine())
    return f"{name}, family {fields.get('cpu family', '?')}, model {fields.get('model', '?')}"


def _read_fields(text: str) -> dict[str, str]:
    """Return the fields of `name: value` lines; of those that repeat, the last."""
    pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, value in pairs}
