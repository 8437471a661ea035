"""`weightzip restore`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weightzip.cli.options import ForceOption, JsonOption, ThreadsOption
from weightzip.cli.store_access import CheckpointArgument, StoreArgument

if TYPE_CHECKING:
    from weightzip.daemon.restore import RestoreReport

FELL_BACK_EXIT_CODE = 4


def restore(
    store: StoreArgument,
    to: Annotated[
        Path,
        typer.Option(
            "--to", metavar="DIR", help="Directory in which the checkpoint reappears under its name."
        ),
    ],
    checkpoint: CheckpointArgument = "latest",
    if_empty: Annotated[
        bool, typer.Option("--if-empty", help="Do nothing, successfully, if DIR holds anything.")
    ] = False,
    if_store_exists: Annotated[
        bool,
        typer.Option("--if-store-exists", help="Do nothing, successfully, if nothing was published yet."),
    ] = False,
    max_fallback: Annotated[
        int,
        typer.Option("--max-fallback", min=0, help="How many older checkpoints to try if one is damaged."),
    ] = 3,
    force: ForceOption = False,
    threads: ThreadsOption = 0,
    json: JsonOption = False,
) -> None:
    """Restore a checkpoint from a store, byte for byte, with modes, times and links.

    It appears in DIR when it is complete and proven, never before. If it is damaged, the newest older one that
    verifies is restored instead, and the exit code is 4.

    [bold]Examples[/bold]

      weightzip restore /backup/run-7 --to checkpoints/

      weightzip restore s3://bucket/run-7 5000 --to /tmp/look --max-fallback 0

      weightzip restore s3://bucket/run-7 --to /ckpt --if-empty --if-store-exists    # at the start of a job
    """
    from weightzip.cli.output import print_json, say, show_progress
    from weightzip.cli.store_access import open_repository
    from weightzip.daemon.restore import restore_checkpoint
    from weightzip.errors import NotFound

    try:
        repository = open_repository(store)
        is_new = not repository.list_checkpoints()
    except NotFound:
        if not if_store_exists:
            raise
        is_new = True
    if is_new and if_store_exists:
        if json:
            print_json({"path": to, "skipped": True})
        else:
            say(f"{store}: nothing was published yet, nothing to restore")
        return
    with show_progress(checkpoint, quiet=json) as progress:
        report = restore_checkpoint(
            repository,
            checkpoint,
            to,
            if_empty=if_empty,
            force=force,
            max_fallback=max_fallback,
            n_threads=threads,
            progress=progress,
        )
    _print_report(report, json)
    if report.fell_back:
        raise typer.Exit(FELL_BACK_EXIT_CODE)


def _print_report(report: "RestoreReport", json: bool) -> None:
    from dataclasses import asdict

    from weightzip.cli.output import format_bytes, print_json, say

    manifest = report.manifest
    for candidate in report.failed:
        say(f"step {candidate.step} is damaged: {candidate.reason}")
    if json:
        facts = (
            {"step": manifest.step, "name": manifest.name, "identity": manifest.identity} if manifest else {}
        )
        counts = {
            "path": report.path,
            "skipped": report.skipped,
            "fell_back": report.fell_back,
            "failed": [asdict(candidate) for candidate in report.failed],
            "n_files": report.n_files,
            "restored_bytes": report.restored_bytes,
            "reused_bytes": report.reused_bytes,
            "fetched_bytes": report.fetched_bytes,
            "seconds": report.seconds,
        }
        print_json(facts | counts)
    elif report.skipped:
        say(f"{report.path} is not empty, nothing to restore")
    else:
        reused = f", {format_bytes(report.reused_bytes)} were there already" if report.reused_bytes else ""
        written = f"{format_bytes(report.restored_bytes)} written{reused}"
        say(f"{report.path}: {report.n_files} files, {written}, {report.seconds:.2f} s")
