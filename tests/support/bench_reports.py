"""Bench reports made by hand: every figure is chosen, nothing was measured."""

from datetime import datetime, timezone
from pathlib import Path

from weightzip.codec.recipes.level import Level
from weightzip.files.bench import BenchReport, FileResult, KindResult, Machine, TensorResult, Timing
from weightzip.files.bench.kinds import ARCHIVE, GLUE
from weightzip.files.bench.report import Kind

MACHINE = Machine(
    processor="Some <CPU>, family 1, model 2",
    n_cores=4,
    memory_bytes=16_000_000_000,
    cpu_features=("avx2",),
    system="Linux 6",
    python="3.11.1",
    weightzip="1.2.3",
    format_version=1,
    load_average=0.25,
)


def make_file(
    name: str = "model.safetensors",
    *,
    raw_bytes: int = 4_000_000,
    stored_bytes: int = 3_000_000,
    base: str | None = None,
    leans: bool = False,
    beside: tuple[str, ...] = (),
    disk_bytes: int | None = 0,
    tensor_name: str = "layer.weight",
) -> FileResult:
    """Return a file of one tensor of BF16 weights, a hundred bytes of glue and an index of fifty bytes."""
    kind, path = Kind("weights", "BF16"), Path("run", name)
    tensor_bytes, coded_bytes = max(raw_bytes - 100, 0), stored_bytes - 90
    return FileResult(
        source=path,
        base=None if base is None else Path(base),
        leans=leans,
        beside=tuple(Path("run", other) for other in beside),
        raw_bytes=raw_bytes,
        stored_bytes=stored_bytes,
        kinds=(
            KindResult(kind, 1, tensor_bytes, coded_bytes),
            KindResult(GLUE, 0, raw_bytes - tensor_bytes, 40),
            KindResult(ARCHIVE, 0, 0, 50),
        ),
        largest=(TensorResult(path, tensor_name, kind, (tensor_bytes // 2,), tensor_bytes, coded_bytes),),
        encode=Timing(raw_bytes, raw_bytes / 2e9, 5, disk_bytes),
        decode=Timing(raw_bytes, raw_bytes / 4e9, 5, disk_bytes),
        file_digest="ab" * 32,
    )


def make_report(*files: FileResult) -> BenchReport:
    """Return the report on these files."""
    measured_at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
    return BenchReport(measured_at, MACHINE, 2, files, 150_000_000, 60_000_000, Level.DEFAULT)
