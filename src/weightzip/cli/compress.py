"""`weightzip compress`."""

from dataclasses import dataclass
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
    from weightzip.files import CompressReport


def compress(
    source: Annotated[
        Path, typer.Argument(help="File or directory to compress; - reads the standard input.")
    ],
    target: Annotated[
        Path,
        typer.Argument(help="Archive (or directory of archives) to write; - writes the standard output."),
    ],
    base: BaseOption = None,
    beside: BesideOption = None,
    level: LevelOption = Level.DEFAULT,
    threads: ThreadsOption = 0,
    verify: Annotated[
        bool, typer.Option(help="Decode every frame and compare before the archive is published.")
    ] = True,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Compress a file into an archive, or a directory into a directory of archives, which may lean on each other.

    [bold]Examples[/bold]

      weightzip compress model.safetensors model.safetensors.wzst

      weightzip compress step-2000 archives/step-2000 --base step-1000

      weightzip compress model.safetensors model.safetensors.wzst --beside optimizer.safetensors
    """
    from dataclasses import replace
    from functools import partial

    from weightzip.cli.output import print_json, say, show_progress
    from weightzip.cli.pipes import PIPE, spooled_input, spooled_output
    from weightzip.errors import UsageError
    from weightzip.files import compress_directory

    def report(result: "CompressReport") -> None:
        if json and target != PIPE:
            print_json(result)
        else:
            say(_describe(result))

    options = _Options(base, tuple(beside or ()), level, threads, verify, force or target == PIPE, json)
    if source == PIPE or target == PIPE:
        with spooled_input(source, near=target) as file, spooled_output(target) as archive:
            result = _compress_one(file, archive, options)
        report(replace(result, source=source, target=target))
        return
    if source.is_dir() and beside:
        raise UsageError(f"{source}: is a directory: its files find each other, --beside goes with one file")
    if not source.is_dir():
        report(_compress_one(source, target, options))
        return
    compress_directory(
        source,
        target,
        base=base,
        level=level,
        n_threads=threads,
        verify=verify,
        force=force,
        show_progress=partial(show_progress, quiet=json),
        on_report=report,
    )


@dataclass(frozen=True)
class _Options:
    """The options of one file."""

    base: Path | None
    beside: tuple[Path, ...]
    level: Level
    threads: int
    verify: bool
    force: bool
    json: bool


def _compress_one(source: Path, target: Path, options: _Options) -> "CompressReport":
    from weightzip.cli.output import show_progress
    from weightzip.files import compress_file

    with show_progress(source.name, quiet=options.json) as progress:
        return compress_file(
            source,
            target,
            base=options.base,
            beside=options.beside,
            level=options.level,
            n_threads=options.threads,
            verify=options.verify,
            force=options.force,
            progress=progress,
        )


def _describe(result: "CompressReport") -> str:
    from weightzip.cli.output import format_bytes, format_ratio

    return (
        f"{result.source}: {format_bytes(result.raw_bytes)} -> {format_bytes(result.stored_bytes)} "
        f"({format_ratio(result.stored_bytes, result.raw_bytes)}) in {result.seconds:.2f} s"
    )
