"""`weightzip inspect`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from weightzip.cli.options import JsonOption

if TYPE_CHECKING:
    from weightzip.codec.archive_info import ArchiveInfo
    from weightzip.codec.summary import TensorSummary


def inspect(
    archive: Annotated[str, typer.Argument(help="Archive: a file or any fsspec URL.")],
    json: JsonOption = False,
) -> None:
    """Show what is in an archive: every tensor with its recipe and ratio, totals by dtype. Decodes nothing.

    [bold]Examples[/bold]

      weightzip inspect model.safetensors.wzst

      weightzip inspect s3://bucket/model.safetensors.wzst --json
    """
    from dataclasses import asdict

    from weightzip.cli.output import print_json
    from weightzip.cli.places import parse_source
    from weightzip.codec.summary import summarize_tensors
    from weightzip.errors import UsageError
    from weightzip.files.opening import open_alone

    if archive == "-":
        raise UsageError("the end of an archive is read first: write what comes from the pipe into a file")
    if "://" not in archive and parse_source(archive).is_dir():
        raise UsageError(f"{archive}: is a directory: name one archive in it")
    with open_alone(archive) as opened:
        info, summaries = opened.info, list(summarize_tensors(opened.index))
    if json:
        facts = asdict(info) | {"container": info.container.name.lower()}
        print_json(facts | {"tensors": [asdict(summary) for summary in summaries]})
    else:
        _print_tensors(archive, summaries)
        _print_totals(info, summaries)


def _print_tensors(archive: str, summaries: "Sequence[TensorSummary]") -> None:
    from weightzip.cli.output import format_ratio, print_table

    rows = [
        (
            "(glue)" if summary.name is None else summary.name,
            summary.dtype,
            "x".join(map(str, summary.shape)),
            summary.recipe,
            str(summary.raw_bytes),
            str(summary.stored_bytes),
            format_ratio(summary.stored_bytes, summary.raw_bytes),
        )
        for summary in summaries
    ]
    print_table(archive, ("tensor", "dtype", "shape", "recipe", "raw bytes", "stored bytes", "ratio"), rows)


def _print_totals(info: "ArchiveInfo", summaries: "Sequence[TensorSummary]") -> None:
    from weightzip.cli.output import describe_sizes, format_bytes, format_count, say

    for dtype in dict.fromkeys(summary.dtype for summary in summaries):
        parts = [summary for summary in summaries if summary.dtype == dtype]
        raw_bytes = sum(part.raw_bytes for part in parts)
        stored_bytes = sum(part.stored_bytes for part in parts)
        say(f"{dtype}: {format_count(len(parts), 'part')}, {describe_sizes(raw_bytes, stored_bytes)}")
    overhead = info.archive_bytes - sum(summary.stored_bytes for summary in summaries)
    say(f"index and ends: {format_bytes(overhead)}")
    say(f"all: {describe_sizes(info.file_bytes, info.archive_bytes)}")
    say(f"digest {info.file_digest}")
    for reference in info.references:
        say(f"{'leans on' if reference.is_needed else 'was offered'} the file {reference.digest}")
    if info.leans_on_itself or info.is_arranged:
        reason = "leans on bytes of its own" if info.leans_on_itself else "is arranged"
        say(f"{reason}: from a pipe it is restored by way of a temporary file")
