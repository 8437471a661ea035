"""The form of `weightzip verify` that looks at a store."""

from dataclasses import asdict
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from weightzip.daemon.restore import VerifyStoreReport


class Depth(str, Enum):
    """How closely a store is looked at."""

    structure = "structure"
    full = "full"


DepthOption = Annotated[
    Depth | None,
    typer.Option(
        "--depth",
        help="Of a store: look at manifests and sizes (what is done without it), or read and decode everything.",
        show_default=False,
    ),
]


def verify_store(
    store: str, checkpoint: str | None, depth: Depth, threads: int, *, quiet: bool, json: bool
) -> None:
    """Check a store, or one checkpoint of it; exit with 3 if anything is wrong."""
    from weightzip.cli.output import print_json, show_progress
    from weightzip.cli.store_access import open_repository
    from weightzip.daemon.restore import verify_repository
    from weightzip.errors import VerificationFailed

    repository = open_repository(store)
    with show_progress(store, quiet=quiet or json) as progress:
        report = verify_repository(
            repository, depth=depth.value, selector=checkpoint, n_threads=threads, progress=progress
        )
    if json:
        print_json(asdict(report) | {"ok": report.ok})
    elif not (quiet and report.ok):
        _print_report(store, report)
    if not report.ok:
        raise typer.Exit(VerificationFailed.exit_code)


def _print_report(store: str, report: "VerifyStoreReport") -> None:
    from weightzip.cli.output import format_bytes, format_count, print_table, say

    bad = [finding for finding in report.findings if finding.state != "found"]
    if bad:
        rows = [(item.key, item.state, ", ".join(map(str, item.steps)), item.detail) for item in bad]
        print_table(store, ("path", "state", "steps", "detail"), rows)
    found = len(report.findings) - len(bad)
    verdict = "OK" if report.ok else "FAILURE"
    checkpoints, objects = format_count(report.n_checkpoints, "checkpoint"), format_count(found, "object")
    say(f"{verdict}: {checkpoints}, {objects} found, {len(bad)} not as they should be")
    if report.depth == "full":
        say(f"every byte was read and decoded: {format_bytes(report.read_bytes)}")
    else:
        say("presence and sizes only: pass --depth full to read every byte")
