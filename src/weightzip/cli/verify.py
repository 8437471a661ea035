"""`weightzip verify`."""

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weightzip.cli.options import BaseOption, BesideOption, JsonOption, QuietOption, ThreadsOption
from weightzip.cli.store_access import is_store
from weightzip.cli.verify_store import Depth, DepthOption, verify_store

if TYPE_CHECKING:
    from weightzip.cli.output import Speaker
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
            help="Archive or directory of archives, alone also - for the standard input; of a store, one checkpoint instead of all.",
            show_default=False,
        ),
    ] = None,
    base: BaseOption = None,
    beside: BesideOption = None,
    depth: DepthOption = None,
    threads: ThreadsOption = 0,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Prove that an archive restores to the original, or with ARCHIVE alone to its recorded digest.

    Given a store (a URL, or a directory that holds one), check all its checkpoints or one. Writes nothing.

    [bold]Examples[/bold]

      weightzip verify model.safetensors model.safetensors.wzst

      weightzip verify model.safetensors.wzst --base previous.safetensors

      weightzip verify s3://bucket/run-7 latest --depth full
    """
    from weightzip.cli.output import Speaker
    from weightzip.cli.pipes import PIPE
    from weightzip.cli.places import parse_source
    from weightzip.errors import UsageError

    options = _Options(tuple(base or ()), tuple(beside or ()), threads)
    if is_store(original):
        if base or beside:
            raise UsageError(f"{original}: is a store, where --base and --beside have no use")
        verify_store(original, archive, depth or Depth.structure, threads, quiet=quiet, json=json)
        return
    if depth is not None:
        raise UsageError(f"{original}: is no store, where --depth has no use: archives are always decoded")
    first = parse_source(original)
    second = None if archive is None else parse_source(archive)
    speaker = Speaker(quiet=quiet, json=json)
    if PIPE in (first, second):
        _verify_pipe(first, second, options, speaker)
    elif first.is_dir():
        _verify_directory(first, second, options, speaker)
    else:
        _verify_one(first, second, options, speaker)


@dataclass(frozen=True)
class _Options:
    """What is asked of each archive."""

    bases: tuple[Path, ...]
    beside: tuple[Path, ...]
    threads: int


def _verify_directory(original: Path, archives: Path | None, options: _Options, speaker: "Speaker") -> None:
    from weightzip.cli.output import format_bytes, format_count
    from weightzip.files import check_directory, verify_directory

    if archives is None:
        check = partial(check_directory, original)
    else:
        check = partial(verify_directory, original, archives)
    reports = check(
        base=options.bases,
        beside=options.beside,
        n_threads=options.threads,
        show_progress=speaker.show_progress,
        on_report=lambda report: speaker.report(report, _describe(report)),
    )
    raw_bytes = sum(one.raw_bytes for one in reports)
    speaker.say(f"{archives or original}: {format_count(len(reports), 'file')}, {format_bytes(raw_bytes)}")


def _verify_one(first: Path, second: Path | None, options: _Options, speaker: "Speaker") -> None:
    from weightzip.files import check_archive, verify_file

    check = partial(check_archive, first) if second is None else partial(verify_file, first, second)
    with speaker.show_progress((second or first).name) as progress:
        result = check(
            base=options.bases, beside=options.beside, n_threads=options.threads, progress=progress
        )
    speaker.report(result, _describe(result))


def _verify_pipe(first: Path, second: Path | None, options: _Options, speaker: "Speaker") -> None:
    from weightzip.cli.output import format_bytes
    from weightzip.cli.streams import standard_input
    from weightzip.errors import UsageError
    from weightzip.files import decompress_stream

    if second is not None:
        raise UsageError(
            "an archive from a pipe is verified alone, against the digest in it: pass - and nothing else"
        )
    with Path(os.devnull).open("wb") as nowhere:
        result = decompress_stream(
            standard_input(), nowhere, base=options.bases, beside=options.beside, n_threads=options.threads
        )
    speaker.report(result, f"{first}: restores to its recorded digest, {format_bytes(result.raw_bytes)}")


def _describe(result: "VerifyReport") -> str:
    from weightzip.cli.output import format_bytes

    what = "its recorded digest" if result.original is None else str(result.original)
    return f"{result.archive}: restores to {what}, {format_bytes(result.raw_bytes)}, {result.seconds:.2f} s"
