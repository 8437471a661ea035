"""Measuring what weightzip makes of a user's own files. How results look is not decided here (see cli)."""

from weightzip.files.bench.document import report_to_document
from weightzip.files.bench.inputs import BenchInput, list_inputs
from weightzip.files.bench.machine import describe_machine
from weightzip.files.bench.measure import measure_inputs
from weightzip.files.bench.report import BenchReport, FileResult, KindResult, Machine, TensorResult, Timing

__all__ = [
    "BenchInput",
    "BenchReport",
    "FileResult",
    "KindResult",
    "Machine",
    "TensorResult",
    "Timing",
    "describe_machine",
    "list_inputs",
    "measure_inputs",
    "report_to_document",
]
