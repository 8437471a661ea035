"""The report as one JSON document. Its fields are a promise: new ones may come, others change with REPORT_VERSION."""

from dataclasses import asdict
from typing import Any

from weightzip.files.bench.report import BenchReport, FileResult, Kind, KindResult, TensorResult, Timing

REPORT_VERSION = 1


def report_to_document(report: BenchReport) -> dict[str, Any]:
    """Return the report in the types of JSON. Sizes are bytes, speeds 10^9 original bytes a second."""
    return {
        "report_version": REPORT_VERSION,
        "measured_at": report.measured_at.isoformat(timespec="seconds"),
        "machine": asdict(report.machine),
        "n_threads": report.n_threads,
        "level": report.level.value,
        "identical": True,  # or there would be no report
        **_describe_sizes(report.raw_bytes, report.stored_bytes),
        "encode": _describe_timing(report.encode),
        "decode": _describe_timing(report.decode),
        "peak_memory_bytes": report.peak_memory_bytes,
        "memory_before_bytes": report.memory_before_bytes,
        "kinds": [_describe_kind_result(result) for result in report.kinds],
        "files": [_describe_file(file) for file in report.files],
        "largest_tensors": [_describe_tensor(tensor) for tensor in report.largest],
    }


def _describe_file(file: FileResult) -> dict[str, Any]:
    return {
        "path": str(file.source),
        "base": None if file.base is None else str(file.base),
        "leans_on_base": file.leans,
        "beside": [str(path) for path in file.beside],
        "identical": True,
        "file_digest": file.file_digest,
        **_describe_sizes(file.raw_bytes, file.stored_bytes),
        "encode": _describe_timing(file.encode),
        "decode": _describe_timing(file.decode),
        "kinds": [_describe_kind_result(result) for result in file.kinds],
    }


def _describe_kind_result(result: KindResult) -> dict[str, Any]:
    sizes = _describe_sizes(result.raw_bytes, result.stored_bytes)
    return {**_describe_kind(result.kind), "n_tensors": result.n_tensors, **sizes}


def _describe_tensor(tensor: TensorResult) -> dict[str, Any]:
    return {
        "path": str(tensor.source),
        "name": tensor.name,
        **_describe_kind(tensor.kind),
        "shape": list(tensor.shape),
        **_describe_sizes(tensor.raw_bytes, tensor.stored_bytes),
    }


def _describe_kind(kind: Kind) -> dict[str, str]:
    return {"role": kind.role, "dtype": kind.dtype}


def _describe_sizes(raw_bytes: int, stored_bytes: int) -> dict[str, Any]:
    return {
        "raw_bytes": raw_bytes,
        "stored_bytes": stored_bytes,
        "saved_bytes": raw_bytes - stored_bytes,
        "ratio": round(stored_bytes / raw_bytes, 6) if raw_bytes else None,
    }


def _describe_timing(timing: Timing) -> dict[str, Any]:
    speed = timing.gb_per_second
    return {
        "gb_per_second": None if speed is None else round(speed, 4),
        "seconds": round(timing.seconds, 6),
        "n_rounds": timing.n_rounds,
        "disk_bytes": timing.disk_bytes,
    }
