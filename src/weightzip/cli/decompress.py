"""`weightzip decompress`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from weightzip.cli.options import BaseOption, BesideOption, ForceOption, JsonOption, ThreadsOption

if TYPE_CHECKING:
    from weightzip.files import DecompressReport


def decompress(
    archive: Annotated[
        Path, typer.Argument(help="Archive or directory of archives; - reads the standard input.")
    ],
    target: Annotated[
        Path, typer.Argument(help="File or directory to restore; - writes the standard output.")
    ],
    base: BaseOption = None,
    beside: BesideOption = None,
    threads: ThreadsOption = 0,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Restore the file of an archive, or the directory of a directory of archives.

    What an archive leans on is found if an archive of it lies in the same folder, or directory.

    Pipes are decoded as they come: check the exit code before you trust what was written. Archives that lean on bytes
    of their own are read to their end first, into a temporary file.

    [bold]Examples[/bold]

      weightzip decompress model.safetensors.wzst model.safetensors

      curl -s https://example.org/model.wzst | weightzip decompress - model.safetensors
    """
    from weightzip.cli.output import show_progress
    from weightzip.cli.pipes import PIPE
    from weightzip.files import decompress_directory

    options = _Options(base, tuple(beside or ()), threads, force, json)
    if archive == PIPE or target == PIPE:
        _decompress_pipe(archive, target, options)
    elif not archive.is_dir():
        _decompress_one(archive, target, options)
    else:
        decompress_directory(
            archive,
            target,
            base=base,
            beside=options.beside,
            n_threads=threads,
            force=force,
            show_progress=partial(show_progress, quiet=json),
            on_report=partial(_report, json=json),
        )


@dataclass(frozen=True)
class _Options:
    """The options of one archive."""

    base: Path | None
    beside: tuple[Path, ...]
    threads: int
    force: bool
    json: bool


def _decompress_one(archive: Path, target: Path, options: _Options) -> None:
    from weightzip.cli.output import show_progress
    from weightzip.files import decompress_file

    with show_progress(archive.name, quiet=options.json) as progress:
        result = decompress_file(
            archive,
            target,
            base=options.base,
            beside=options.beside,
            n_threads=options.threads,
            force=options.force,
            progress=progress,
        )
    _report(result, json=options.json)


def _report(result: "DecompressReport", *, json: bool) -> None:
    from weightzip.cli.output import format_bytes, print_json, say

    if json:
        print_json(result)
    else:
        say(f"{result.target}: {format_bytes(result.raw_bytes)} restored in {result.seconds:.2f} s")


def _decompress_pipe(archive: Path, target: Path, options: _Options) -> None:
    from weightzip.cli.output import format_bytes, print_json, say
    from weightzip.cli.pipes import PIPE, binary_output
    from weightzip.cli.streams import standard_input
    from weightzip.files import StreamReport, decompress_stream, write_restored
    from weightzip.files.publish import publish_file

    base, beside, threads = options.base, options.beside, options.threads

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
        with publish_file(target, like=None, force=options.force) as file:
            result = restore(file)
    if options.json and target != PIPE:
        print_json(result)
    else:
        say(f"{target}: {format_bytes(result.raw_bytes)} restored")
