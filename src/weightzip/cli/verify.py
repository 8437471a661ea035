"""`weightzip verify`."""

from dataclasses import dataclass, replace
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
    from weightzip.files.directory import pair_archives, pair_files

    if archive is None:
        if not original.is_dir():
            _verify_one(None, original, options)
            return
        for pair in pair_files(original, original, options.base, compressing=False):
            _verify_one(None, pair.source, replace(options, base=pair.base))
    elif not original.is_dir():
        _verify_one(original, archive, options)
    else:
        for pair in pair_archives(original, archive, options.base):
            _verify_one(pair.source, pair.target, replace(options, base=pair.base))


def _verify_one(original: Path | None, archive: Path, options: _Options) -> None:
    from weightzip.cli.output import print_json, say, show_progress
    from weightzip.files import check_archive, verify_file

    base, beside, threads = options.base, options.beside, options.threads
    with show_progress(archive.name, quiet=options.json) as progress:
        if original is None:
            result = check_archive(archive, base=base, beside=beside, n_threads=threads, progress=progress)
        else:
            result = verify_file(
                original, archive, base=base, beside=beside, n_threads=threads, progress=progress
            )
    if options.json:
        print_json(result)
    else:
        say(_describe(result))


def _describe(result: "VerifyReport") -> str:
    from weightzip.cli.output import format_bytes

    what = "its recorded digest" if result.original is None else str(result.original)
    return f"{result.archive}: restores to {what}, {format_bytes(result.raw_bytes)}, {result.seconds:.2f} s"
