"""What the golden files of real writers hold, as our readers see it. No library that wrote them is needed."""

import hashlib
from pathlib import Path
from typing import Any

from weightzip.codec.containers import DirectorySurroundings, read_layout
from weightzip.codec.source import FileSource

TARGET = Path(__file__).parent / "written"
EXPECTED = TARGET / "expected.json"


def list_golden_files() -> list[str]:
    """Return the paths of all files that were written."""
    found = (path for path in TARGET.rglob("*") if path.is_file() and path != EXPECTED)
    return sorted(path.relative_to(TARGET).as_posix() for path in found)


def describe_layout(path: Path) -> dict[str, Any]:
    """Return what a container reader finds in a file: dtype, shape, offset and digest of each tensor, by name."""
    with FileSource(path) as source:
        layout = read_layout(source, DirectorySurroundings(path))
        tensors = {
            one.name: [
                one.dtype.name,
                list(one.shape),
                one.offset,
                hashlib.sha256(source.read_at(one.offset, one.n_bytes)).hexdigest()[:16],
            ]
            for one in layout.tensors
        }
    return {"container": layout.container.name, "tensors": tensors}
