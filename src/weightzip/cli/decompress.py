"""`weightzip decompress`."""

from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from weightzip.cli.options import BaseOption, ForceOption, JsonOption, ThreadsOption


def decompress(
    archive: Annotated[
        Path, typer.Argument(help="Archive or directory of archives; - reads the standard input.")
    ],
    target: Annotated[
        Path, typer.Argument(help="File or directory to restore; - writes the standard output.")
    ],
    base: BaseOption = None,
    threads: ThreadsOption = 0,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Restore the file of an archive, or the directory of a directory of archives.

    Pipes are decoded as they come: check the exit code before you trust what was written.

    [bold]Examples[/bold]

      weightzip decompress model.safetensors.wzst model.safetensors

      curl -s https://example.org/model.wzst | weightzip decompress - model.safetensors
    """
    from weightzip.cli.pipes import PIPE
    from weightzip.files.directory import pair_files, prepare_directory

    if archive == PIPE or target == PIPE:
        _decompress_pipe(archive, target, base, threads, force, json)
    elif not archive.is_dir():
        _decompress_one(archive, target, base, threads, force, json)
    else:
        with prepare_directory(archive, target, force=force):
            for pair in pair_files(archive, target, base, compressing=False):
                _decompress_one(pair.source, pair.target, pair.base, threads, force, json)


def _decompress_one(
    archive: Path, target: Path, base: Path | None, threads: int, force: bool, json: bool
) -> None:
    from weightzip.cli.output import format_bytes, print_json, say, show_progress
    from weightzip.files import decompress_file

    with show_progress(archive.name, quiet=json) as progress:
        result = decompress_file(
            archive, target, base=base, n_threads=threads, force=force, progress=progress
        )
    if json:
        print_json(result)
    else:
        say(f"{target}: {format_bytes(result.raw_bytes)} restored in {result.seconds:.2f} s")


def _decompress_pipe(
    archive: Path, target: Path, base: Path | None, threads: int, force: bool, json: bool
) -> None:
    from weightzip.cli.output import format_bytes, print_json, say
    from weightzip.cli.pipes import PIPE, binary_output
    from weightzip.cli.streams import standard_input
    from weightzip.files import StreamReport, decompress_stream
    from weightzip.files.opening import open_stream
    from weightzip.files.publish import publish_file

    def restore(writer: BinaryIO) -> StreamReport:
        if archive == PIPE:
            result = decompress_stream(standard_input(), writer, base=base, n_threads=threads)
        else:
            with open_stream(archive) as reader:
                result = decompress_stream(reader, writer, base=base, n_threads=threads)
        writer.flush()
        return result

    if target == PIPE:
        with binary_output() as stream:
            result = restore(stream)
    else:
        with publish_file(target, like=None, force=force) as file:
            result = restore(file)
    if json and target != PIPE:
        print_json(result)
    else:
        say(f"{target}: {format_bytes(result.raw_bytes)} restored")
