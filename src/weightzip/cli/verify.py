"""`weightzip verify`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weightzip.cli.options import BaseOption, BesideOption, JsonOption, ThreadsOption
from weightzip.cli.store_access import is_store
from weightzip.cli.verify_store import Depth, DepthOption, verify_store

if TYPE_CHECKING:
    from weightzip.files import VerifyReport


def verify(
    original: Annotated[
        str,
        typer.Argument(
            metavar="[ORIGINAL|STORE]", help="File or directory the archive must equal, or a store."
        ),
    ],
    archive: Annotated[
        str | None,
        typer.Argument(
            metavar="ARCHIVE|[CHECKPOINT]",
            help="Archive or directory of archives; of a store, one checkpoint instead of all.",
            show_default=False,
        ),
    ] = None,
    base: BaseOption = None,
    beside: BesideOption = None,
    depth: DepthOption = Depth.structure,
    threads: ThreadsOption = 0,
    json: JsonOption = False,
) -> None:
    """Prove that an archive restores to the original, or with ARCHIVE alone to its recorded digest.

    Given a store (a URL, or a directory that holds one), check all its checkpoints or one. Writes nothing.

    [bold]Examples[/bold]

      weightzip verify model.safetensors model.safetensors.wzst

      weightzip verify model.safetensors.wzst --base previous.safetensors

      weightzip verify s3://bucket/run-7 latest --depth full
    """
    if is_store(original):
        verify_store(original, archive, depth, threads, json)
    else:
        options = _Options(base, tuple(beside or ()), threads, json)
        _verify_files(Path(original), None if archive is None else Path(archive), options)


@dataclass(frozen=True)
class _Options:
    """The options of one archive."""

    base: Path | None
    beside: tuple[Path, ...]
    threads: int
    json: bool


def _verify_files(original: Path, archive: Path | None, options: _Options) -> None:
    if original.is_dir():
        _verify_directory(original, archive, options)
    elif archive is None:
        _verify_one(None, original, options)
    else:
        _verify_one(original, archive, options)


def _verify_directory(original: Path, archives: Path | None, options: _Options) -> None:
    from weightzip.cli.output import show_progress
    from weightzip.files import check_directory, verify_directory

    if archives is None:
        check = partial(check_directory, original)
    else:
        check = partial(verify_directory, original, archives)
    check(
        base=options.base,
        beside=options.beside,
        n_threads=options.threads,
        show_progress=partial(show_progress, quiet=options.json),
        on_report=partial(_report, json=options.json),
    )


def _verify_one(original: Path | None, archive: Path, options: _Options) -> None:
    from weightzip.cli.output import show_progress
    from weightzip.files import check_archive, verify_file

    base, beside, threads = options.base, options.beside, options.threads
    with show_progress(archive.name, quiet=options.json) as progress:
        if original is None:
            result = check_archive(archive, base=base, beside=beside, n_threads=threads, progress=progress)
        else:
            result = verify_file(
                original, archive, base=base, beside=beside, n_threads=threads, progress=progress
            )
    _report(result, json=options.json)


def _report(result: "VerifyReport", *, json: bool) -> None:
    from weightzip.cli.output import format_bytes, print_json, say

    if json:
        print_json(result)
        return
    what = "its recorded digest" if result.original is None else str(result.original)
    say(f"{result.archive}: restores to {what}, {format_bytes(result.raw_bytes)}, {result.seconds:.2f} s")
