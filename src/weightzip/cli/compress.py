"""`weightzip compress`."""

from collections.abc import Sequence
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
    QuietOption,
    ThreadsOption,
)
from weightzip.codec.recipes.level import Level

if TYPE_CHECKING:
    from weightzip.cli.output import Speaker
    from weightzip.files import CompressReport


def compress(
    source: Annotated[
        str,
        typer.Argument(help="File or directory to compress; - reads the standard input."),
    ],
    target: Annotated[
        str | None,
        typer.Argument(
            help="Archive (or directory of archives) to write, SOURCE.wzst if left out; - writes the standard output.",
            show_default=False,
        ),
    ] = None,
    base: BaseOption = None,
    beside: BesideOption = None,
    level: LevelOption = Level.DEFAULT,
    threads: ThreadsOption = 0,
    verify: Annotated[
        bool, typer.Option(help="Decode every frame and compare before the archive is published.")
    ] = True,
    follow_links: Annotated[
        bool | None,
        typer.Option(
            "--follow-links/--keep-links",
            help="What becomes of links that lead out of a directory: compress the files, or keep the links alone.",
            show_default=False,
        ),
    ] = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Compress a file into an archive, or a directory into a directory of archives, which may lean on each other.

    What an interrupted run left of a directory is taken over: the same command goes on.

    [bold]Examples[/bold]

      weightzip compress model.safetensors

      weightzip compress step-2000 archives/step-2000 --base step-1000

      weightzip compress model.safetensors model.safetensors.wzst --beside optimizer.safetensors
    """
    from weightzip.cli.output import Speaker
    from weightzip.cli.pipes import PIPE
    from weightzip.cli.places import choose_archive, parse_source, parse_target
    from weightzip.errors import UsageError

    path = parse_source(source)
    place = choose_archive(path) if target is None else parse_target(target, path)
    options = _Options(tuple(base or ()), tuple(beside or ()), level, threads, verify, force or place == PIPE)
    speaker = Speaker(quiet=quiet, json=json)
    if place == PIPE:
        speaker.leave_output_to_data()
    if not path.is_dir():
        if follow_links is not None:
            raise UsageError(f"{path}: is no directory: --follow-links and --keep-links have no use here")
        _tell_of_bases([_compress_one(path, place, options, speaker)], options, speaker)
        return
    if beside:
        raise UsageError(f"{path}: is a directory: its files find each other, --beside goes with one file")
    reports = _compress_directory(path, place, options, follow_links, speaker)
    _tell_of_bases(reports, options, speaker)


@dataclass(frozen=True)
class _Options:
    """What is asked of each file."""

    bases: tuple[Path, ...]
    beside: tuple[Path, ...]
    level: Level
    threads: int
    verify: bool
    force: bool


def _compress_one(source: Path, target: Path, options: _Options, speaker: "Speaker") -> "CompressReport":
    from dataclasses import replace

    from weightzip.cli.pipes import spooled_input, spooled_output
    from weightzip.files import compress_file

    with (
        spooled_input(source, near=target) as file,
        spooled_output(target) as archive,
        speaker.show_progress(source.name) as progress,
    ):
        written = compress_file(
            file,
            archive,
            base=options.bases,
            beside=options.beside,
            level=options.level,
            n_threads=options.threads,
            verify=options.verify,
            force=options.force,
            progress=progress,
        )
    report = replace(written, source=source, target=target)
    speaker.report(report, _describe(report))
    return report


def _compress_directory(
    source: Path, target: Path, options: _Options, follow_links: bool | None, speaker: "Speaker"
) -> "Sequence[CompressReport]":
    from weightzip.cli.output import describe_sizes, format_count
    from weightzip.files import compress_directory

    reports = compress_directory(
        source,
        target,
        base=options.bases,
        follow_links=follow_links,
        level=options.level,
        n_threads=options.threads,
        verify=options.verify,
        force=options.force,
        show_progress=speaker.show_progress,
        on_report=lambda report: speaker.report(report, _describe(report)),
    )
    raw_bytes, stored_bytes = sum(one.raw_bytes for one in reports), sum(one.stored_bytes for one in reports)
    speaker.say(f"{source}: {format_count(len(reports), 'file')}, {describe_sizes(raw_bytes, stored_bytes)}")
    return reports


def _tell_of_bases(reports: "Sequence[CompressReport]", options: _Options, speaker: "Speaker") -> None:
    """Say so if predecessors were given in vain: a typing error would cost most of what there is to save."""
    if options.bases and not any(one.base_digest or one.moved_digests for one in reports):
        speaker.say(
            f"--base {options.bases[0]} was of no use: nothing leans on it, and it is not needed to restore"
        )


def _describe(result: "CompressReport") -> str:
    from weightzip.cli.output import describe_sizes

    sizes = describe_sizes(result.raw_bytes, result.stored_bytes)
    how = "was there already" if result.was_there else f"in {result.seconds:.2f} s"
    return f"{result.source}: {sizes} {how}"
