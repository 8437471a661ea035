"""`weightzip decompress`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from weightzip.cli.options import (
    BaseOption,
    BesideOption,
    ForceOption,
    JsonOption,
    QuietOption,
    ThreadsOption,
)

if TYPE_CHECKING:
    from weightzip.cli.output import Speaker
    from weightzip.files import DecompressReport


def decompress(
    archive: Annotated[
        str,
        typer.Argument(help="Archive or directory of archives; - reads the standard input."),
    ],
    target: Annotated[
        str | None,
        typer.Argument(
            help="File or directory to restore, ARCHIVE without .wzst if left out; - writes the standard output.",
            show_default=False,
        ),
    ] = None,
    base: BaseOption = None,
    beside: BesideOption = None,
    threads: ThreadsOption = 0,
    force: ForceOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Restore the file of an archive, or the directory of a directory of archives.

    What an archive leans on is found if an archive of it lies in the same folder, or directory.

    Pipes are decoded as they come: check the exit code before you trust what was written. Archives that lean on bytes
    of their own are read to their end first, into a temporary file.

    [bold]Examples[/bold]

      weightzip decompress model.safetensors.wzst

      curl -s https://example.org/model.wzst | weightzip decompress - model.safetensors
    """
    from weightzip.cli.output import Speaker
    from weightzip.cli.pipes import PIPE
    from weightzip.cli.places import choose_restored, parse_source, parse_target

    path = parse_source(archive)
    place = choose_restored(path) if target is None else parse_target(target, path)
    options = _Options(tuple(base or ()), tuple(beside or ()), threads, force)
    speaker = Speaker(quiet=quiet, json=json)
    if place == PIPE:
        speaker.leave_output_to_data()
    if PIPE in (path, place):
        _decompress_pipe(path, place, options, speaker)
    elif not path.is_dir():
        _decompress_one(path, place, options, speaker)
    else:
        _decompress_directory(path, place, options, speaker)


@dataclass(frozen=True)
class _Options:
    """What is asked of each archive."""

    bases: tuple[Path, ...]
    beside: tuple[Path, ...]
    threads: int
    force: bool


def _decompress_one(archive: Path, target: Path, options: _Options, speaker: "Speaker") -> None:
    from weightzip.files import decompress_file

    with speaker.show_progress(archive.name) as progress:
        result = decompress_file(
            archive,
            target,
            base=options.bases,
            beside=options.beside,
            n_threads=options.threads,
            force=options.force,
            progress=progress,
        )
    speaker.report(result, _describe(result))


def _decompress_directory(archives: Path, target: Path, options: _Options, speaker: "Speaker") -> None:
    from weightzip.cli.output import format_bytes, format_count
    from weightzip.files import decompress_directory

    reports = decompress_directory(
        archives,
        target,
        base=options.bases,
        beside=options.beside,
        n_threads=options.threads,
        force=options.force,
        show_progress=speaker.show_progress,
        on_report=lambda report: speaker.report(report, _describe(report)),
    )
    raw_bytes = sum(one.raw_bytes for one in reports)
    speaker.say(f"{target}: {format_count(len(reports), 'file')}, {format_bytes(raw_bytes)}")


def _describe(result: "DecompressReport") -> str:
    from weightzip.cli.output import format_bytes

    how = "was there already" if result.was_there else f"restored in {result.seconds:.2f} s"
    return f"{result.target}: {format_bytes(result.raw_bytes)} {how}"


def _decompress_pipe(archive: Path, target: Path, options: _Options, speaker: "Speaker") -> None:
    from weightzip.cli.output import format_bytes
    from weightzip.cli.pipes import PIPE, binary_output
    from weightzip.cli.streams import standard_input
    from weightzip.files import StreamReport, decompress_stream, write_restored
    from weightzip.files.decompress import check_restored_apart
    from weightzip.files.publish import publish_file

    base, beside, threads = options.bases, options.beside, options.threads

    def restore(writer: BinaryIO) -> StreamReport:
        if archive == PIPE:
            result = decompress_stream(
                standard_input(),
                writer,
                base=base,
                beside=beside,
                n_threads=threads,
                spool_directory=None if target == PIPE else target.parent,
            )
        else:
            result = write_restored(archive, writer, base=base, beside=beside, n_threads=threads)
        writer.flush()
        return result

    if target == PIPE:
        with binary_output() as stream:
            result = restore(stream)
    else:
        check_restored_apart(target, [*base, *beside])
        with publish_file(target, like=None, force=options.force) as file:
            result = restore(file)
    speaker.report(result, f"{target}: {format_bytes(result.raw_bytes)} restored")
