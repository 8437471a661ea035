"""`weightzip bench`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weightzip.cli.options import (
    BaseOption,
    BesideOption,
    ForceOption,
    JsonOption,
    LevelOption,
    ThreadsOption,
)
from weightzip.codec.recipes.level import Level

if TYPE_CHECKING:
    from weightzip.files.bench import BenchReport


def bench(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="Files, or directories of a checkpoint.", readable=False),
    ],
    base: BaseOption = None,
    beside: BesideOption = None,
    level: LevelOption = Level.DEFAULT,
    threads: ThreadsOption = 0,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Also write the report as one HTML page.", show_default=False
        ),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Measure what weightzip makes of your files: size by kind of tensor, speed, memory, and that every byte returns.

    Each file is compressed into the temporary directory (TMPDIR), restored, compared and removed; yours are only read.

    [bold]Examples[/bold]

      weightzip bench model.safetensors

      weightzip bench step-2000 --base step-1000 --html report.html
    """
    from functools import partial

    from weightzip.cli.output import print_json, say, show_progress
    from weightzip.errors import UsageError
    from weightzip.files.bench import list_inputs, measure_inputs, report_to_document

    if base is not None and len(base) > 1:
        raise UsageError(f"--base {base[1]}: one predecessor is enough here, a file or a directory")
    inputs = list_inputs(paths, base[0] if base else None)
    if html is not None:
        read = [path for one in inputs for path in (one.source, one.base) if path]
        _check_page(html, [*read, *(beside or ())], force)
    report = measure_inputs(
        inputs,
        beside=beside or (),
        level=level,
        n_threads=threads,
        show_progress=partial(show_progress, quiet=json),
    )
    if json:
        print_json(report_to_document(report))
    else:
        _print_report(report)
    if html is not None:
        _write_page(report, html, force)
        say(f"report written to {html}")


def _check_page(target: Path, read: list[Path], force: bool) -> None:
    """Refuse a place for the page before anything is measured, above all one of the files that are only read."""
    from weightzip.errors import NotFound, UsageError
    from weightzip.files.publish import check_target

    check_target(target, force=force)
    if not target.parent.is_dir():
        raise NotFound(f"{target.parent}: no such directory")
    for path in read:
        if target.exists() and target.samefile(path):
            raise UsageError(f"{target}: is one of the files to measure, the page would replace it")


def _write_page(report: "BenchReport", target: Path, force: bool) -> None:
    from weightzip.cli.html import render_page
    from weightzip.files.publish import publish_file

    with publish_file(target, like=None, force=force) as file:
        file.write(render_page(report).encode())


def _print_report(report: "BenchReport") -> None:
    from weightzip.cli.bench_text import (
        FILE_COLUMNS,
        KIND_COLUMNS,
        list_facts,
        list_file_rows,
        list_kind_rows,
    )
    from weightzip.cli.output import print_table, say

    print_table("files", FILE_COLUMNS, list_file_rows(report))
    print_table("kinds of tensors", KIND_COLUMNS, list_kind_rows(report))
    for fact in list_facts(report):
        say(fact)
