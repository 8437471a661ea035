"""`weightzip verify`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weightzip.cli.options import BaseOption, JsonOption, ThreadsOption

if TYPE_CHECKING:
    from weightzip.files import VerifyReport


def verify(
    original: Annotated[
        Path, typer.Argument(metavar="[ORIGINAL]", help="File or directory that the archive must equal.")
    ],
    archive: Annotated[
        Path | None,
        typer.Argument(metavar="ARCHIVE", help="Archive or directory of archives.", show_default=False),
    ] = None,
    base: BaseOption = None,
    threads: ThreadsOption = 0,
    json: JsonOption = False,
) -> None:
    """Prove that an archive restores to the original, or with ARCHIVE alone to its recorded digest.

    Writes nothing.

    [bold]Examples[/bold]

      weightzip verify model.safetensors model.safetensors.wzst

      weightzip verify model.safetensors.wzst --base previous.safetensors
    """
    from weightzip.files.directory import pair_archives, pair_files

    if archive is None:
        if not original.is_dir():
            _verify_one(None, original, base, threads, json)
            return
        for pair in pair_files(original, original, base, compressing=False):
            _verify_one(None, pair.source, pair.base, threads, json)
    elif not original.is_dir():
        _verify_one(original, archive, base, threads, json)
    else:
        for pair in pair_archives(original, archive, base):
            _verify_one(pair.source, pair.target, pair.base, threads, json)


def _verify_one(original: Path | None, archive: Path, base: Path | None, threads: int, json: bool) -> None:
    from weightzip.cli.output import print_json, say, show_progress
    from weightzip.files import check_archive, verify_file

    with show_progress(archive.name, quiet=json) as progress:
        if original is None:
            result = check_archive(archive, base=base, n_threads=threads, progress=progress)
        else:
            result = verify_file(original, archive, base=base, n_threads=threads, progress=progress)
    if json:
        print_json(result)
    else:
        say(_describe(result))


def _describe(result: "VerifyReport") -> str:
    from weightzip.cli.output import format_bytes

    what = "its recorded digest" if result.original is None else str(result.original)
    return f"{result.archive}: restores to {what}, {format_bytes(result.raw_bytes)}, {result.seconds:.2f} s"
