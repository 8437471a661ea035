"""`weightzip list`."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from weightzip.cli.options import JsonOption
from weightzip.cli.store_access import StoreArgument

if TYPE_CHECKING:
    from weightzip.daemon.store import CheckpointKey, Repository


@dataclass(frozen=True)
class _Line:
    """One checkpoint; what its manifest would tell is None when that is damaged."""

    step: int
    saved_at: str
    name: str | None
    created_at: str | None
    n_files: int | None
    raw_bytes: int | None
    stored_bytes: int | None
    chain_depth: int | None
    damage: str | None


def list_checkpoints(store: StoreArgument, json: JsonOption = False) -> None:
    """List the published checkpoints of a store in the order in which they were saved, the newest last.

    [bold]Examples[/bold]

      weightzip list /backup/run-7

      weightzip list s3://bucket/run-7 --json
    """
    from weightzip.cli.output import format_bytes, format_ratio, print_json, print_table
    from weightzip.cli.store_access import open_repository

    repository = open_repository(store)
    lines = [_describe(repository, key) for key in repository.list_checkpoints()]
    if json:
        for line in lines:
            print_json(asdict(line))
        return
    rows = [
        (line.saved_at, str(line.step), line.damage, "", "", "", "", "")
        if line.damage is not None
        else (
            line.saved_at,
            str(line.step),
            line.name or "",
            str(line.n_files),
            format_bytes(line.raw_bytes or 0),
            format_bytes(line.stored_bytes or 0),
            format_ratio(line.stored_bytes or 0, line.raw_bytes or 0),
            str(line.chain_depth),
        )
        for line in lines
    ]
    columns = ("saved", "step", "name", "files", "raw", "stored", "ratio", "chain depth")
    print_table(f"{repository.store.url}, run {repository.run_id}", columns, rows)


def _describe(repository: "Repository", key: "CheckpointKey") -> _Line:
    from weightzip.cli.store_access import format_time
    from weightzip.errors import CorruptData, NotFound, UnsupportedVersion

    saved_at = format_time(key.saved_at_seconds)
    try:
        manifest = repository.load(key)
    except (CorruptData, NotFound, UnsupportedVersion) as error:
        return _Line(key.step, saved_at, None, None, None, None, None, None, f"damaged: {error}")
    return _Line(
        step=manifest.step,
        saved_at=saved_at,
        name=manifest.name,
        created_at=format_time(manifest.created_at.timestamp()),
        n_files=len(manifest.files),
        raw_bytes=manifest.raw_bytes,
        stored_bytes=manifest.stored_bytes,
        chain_depth=manifest.chain_depth,
        damage=None,
    )
