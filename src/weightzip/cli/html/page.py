"""The page: what was saved, by which kind of tensor, how fast, and what was measured how. Pure: a report in, text out."""

from collections.abc import Sequence

from weightzip.cli.bench_text import (
    FILE_COLUMNS,
    KIND_COLUMNS,
    describe_disk,
    describe_identity,
    find_root,
    format_speed,
    list_file_rows,
    list_kind_rows,
)
from weightzip.cli.html.markup import element, escape_text, render_table
from weightzip.cli.html.plots import LEAST_SPEED_BYTES, MAX_SPEED_FILES, plot_kinds, plot_speeds
from weightzip.cli.html.style import STYLE
from weightzip.cli.output import format_bytes, format_count, format_ratio
from weightzip.files.bench import BenchReport, TensorResult

_TENSOR_COLUMNS = ("tensor", "file", "kind", "dtype", "shape", "raw bytes", "stored bytes", "ratio")


def render_page(report: BenchReport) -> str:
    """Return the report as a complete HTML document in UTF-8."""
    title = f"weightzip on {_name_files(report)}"
    head = element(
        "head",
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        element("title", escape_text(title)),
        element("style", STYLE),
    )
    body = element("body", *_list_sections(report, title))
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _list_sections(report: BenchReport, title: str) -> Sequence[str]:
    return [
        element("h1", escape_text(title)),
        _paragraph(
            f"{format_count(len(report.files), 'file')}, {format_bytes(report.raw_bytes)}, {_describe_bases(report)}. "
            f"Measured {report.measured_at:%Y-%m-%d %H:%M} UTC with weightzip {report.machine.weightzip} "
            f"on {report.machine.processor}.",
            quiet=True,
        ),
        _render_figures(report),
        element("h2", "Saved by kind of tensor"),
        _paragraph(
            "Grey: original bytes. Green: stored bytes. Figure: stored / original; smaller is better. Kinds below 0.1 % are in the table alone.",
            quiet=True,
        ),
        plot_kinds(report.kinds),
        render_table(KIND_COLUMNS, list_kind_rows(report), 2),
        element("h2", "Speed"),
        _paragraph(_explain_speed(report), quiet=True),
        plot_speeds(report.files),
        element("h2", "Files"),
        _paragraph(f"Identical: yes, {describe_identity(report)}.{_explain_paths(report)}"),
        render_table(FILE_COLUMNS, list_file_rows(report), 2),
        *_render_tensors(report),
        element("h2", "How it was measured"),
        *map(_paragraph, _explain_method(report)),
        _render_facts(report),
    ]


def _render_figures(report: BenchReport) -> str:
    saved_bytes = report.raw_bytes - report.stored_bytes
    cards = [
        (format_ratio(report.stored_bytes, report.raw_bytes), "stored / original", ""),
        (_format_signed(saved_bytes), f"saved of {format_bytes(report.raw_bytes)}", ""),
        (format_speed(report.encode), "encode", ""),
        (format_speed(report.decode), "decode", ""),
        (format_bytes(report.peak_memory_bytes), "peak memory of the process", ""),
        ("yes", "identical, every byte", " good"),
    ]
    return element(
        "div",
        *(
            element(
                "div",
                element("b", escape_text(figure)),
                element("span", escape_text(what)),
                class_=f"card{extra}",
            )
            for figure, what, extra in cards
        ),
        class_="cards",
    )


def _render_tensors(report: BenchReport) -> Sequence[str]:
    if not report.largest:
        return []
    rows = [_tensor_row(tensor) for tensor in report.largest]
    return [element("h2", "Largest tensors"), render_table(_TENSOR_COLUMNS, rows, 5)]


def _tensor_row(tensor: TensorResult) -> Sequence[str]:
    shape = "x".join(map(str, tensor.shape)) or "-"
    sizes = (str(tensor.raw_bytes), str(tensor.stored_bytes))
    ratio = format_ratio(tensor.stored_bytes, tensor.raw_bytes)
    return (tensor.name, tensor.source.name, *tensor.kind, shape, *sizes, ratio)


def _render_facts(report: BenchReport) -> str:
    machine = report.machine
    features = ", ".join(machine.cpu_features) or "none, scalar code"
    peak, before = format_bytes(report.peak_memory_bytes), format_bytes(report.memory_before_bytes)
    facts = [
        (
            "processor",
            f"{machine.processor}; {format_count(machine.n_cores, 'core')}; used of it: {features}",
        ),
        ("threads", str(report.n_threads)),
        ("level", report.level.value),
        ("memory of the machine", format_bytes(machine.memory_bytes)),
        ("peak memory", f"{peak} of the whole process; {before} before the first file"),
        ("load when it began", f"{machine.load_average:.2f} (one minute)"),
        ("versions", f"weightzip {machine.weightzip}, archive format {machine.format_version}"),
        ("system", f"{machine.system}, Python {machine.python}"),
        ("date", report.measured_at.isoformat(timespec="seconds")),
    ]
    return element("dl", *(element("dt", name) + element("dd", escape_text(value)) for name, value in facts))


def _explain_paths(report: BenchReport) -> str:
    root = find_root(report)
    return "" if root is None else f" Paths are those in {root}."


def _explain_speed(report: BenchReport) -> str:
    unit = f"GB/s: 10⁹ original bytes a second, on {format_count(report.n_threads, 'thread')}."
    least = format_bytes(LEAST_SPEED_BYTES)
    return f"{unit} Shown are files from {least} on, the {MAX_SPEED_FILES} largest if there are more."


def _explain_method(report: BenchReport) -> Sequence[str]:
    return [
        (
            "Each file was compressed into a temporary archive as weightzip compress does it. Stored bytes are those of "
            "the whole archive: frames, header, index. A frame that holds several small tensors is shared among them by "
            "original bytes."
        ),
        (
            "The kind of a tensor is its dtype and what its name tells of its role; a floating-point tensor whose name "
            "tells nothing counts as weights. Glue is what a file holds beside its tensors."
        ),
        (
            "Encoding and decoding were timed from the system's cache of files to memory, checksums and digests "
            "included, writing and syncing to a disk not; the median of up to five rounds for files that take less than a second."
        ),
        (
            "Then every archive was restored once more and compared with the original, by digest and byte for byte. A "
            "single difference would have ended the run without a report."
        ),
        *(f"{sentence[0].upper()}{sentence[1:]}." for sentence in describe_disk(report)),
    ]


def _describe_bases(report: BenchReport) -> str:
    if len(report.files) == 1:
        return "against its predecessor" if report.files[0].leans else "alone"
    counts = (
        (sum(file.leans for file in report.files), "against a predecessor"),
        (sum(bool(file.beside) for file in report.files), "against files beside them"),
    )
    described = " and ".join(f"{n_files} of them {words}" for n_files, words in counts if n_files)
    return described or "each alone"


def _name_files(report: BenchReport) -> str:
    names = list(dict.fromkeys(file.source.parent.name for file in report.files))
    if len(report.files) == 1:
        return report.files[0].source.name
    return names[0] if len(names) == 1 and names[0] else format_count(len(report.files), "file")


def _format_signed(n_bytes: int) -> str:
    return format_bytes(n_bytes) if n_bytes >= 0 else f"-{format_bytes(-n_bytes)}"


def _paragraph(text: str, quiet: bool = False) -> str:
    return element("p", escape_text(text), class_="quiet") if quiet else element("p", escape_text(text))
