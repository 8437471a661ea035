"""`weightzip show`."""

from typing import TYPE_CHECKING

from weightzip.cli.options import JsonOption
from weightzip.cli.store_access import CheckpointArgument, StoreArgument

if TYPE_CHECKING:
    from weightzip.daemon.checkpoint import FileEntry
    from weightzip.daemon.store import Manifest


def show(store: StoreArgument, checkpoint: CheckpointArgument = "latest", json: JsonOption = False) -> None:
    """Show what one checkpoint is and how each of its files is stored.

    [bold]Examples[/bold]

      weightzip show /backup/run-7 latest

      weightzip show s3://bucket/run-7 5000 --json
    """
    from weightzip.cli.output import format_bytes, format_ratio, print_json, print_table, say
    from weightzip.cli.store_access import format_time, open_repository

    manifest = open_repository(store).load(checkpoint)
    if json:
        print_json(manifest.model_dump(mode="json") | {"chain_depth": manifest.chain_depth})
        return
    columns = ("path", "kind", "mode", "raw bytes", "stored bytes", "ratio", "chain depth", "digest")
    print_table(manifest.name, columns, [_describe_entry(manifest, entry) for entry in manifest.entries])
    say(f"step {manifest.step}, saved {format_time(manifest.saved_at_seconds)}")
    say(f"published {format_time(manifest.created_at.timestamp())} by run {manifest.run_id}")
    sizes = f"{format_bytes(manifest.raw_bytes)} -> {format_bytes(manifest.stored_bytes)}"
    say(f"{sizes} ({format_ratio(manifest.stored_bytes, manifest.raw_bytes)})")
    say(f"identity {manifest.identity}")
    if manifest.encoding.predecessor is not None:
        say(f"encoded against {manifest.encoding.predecessor}")


def _describe_entry(manifest: "Manifest", entry: "FileEntry") -> tuple[str, ...]:
    from weightzip.cli.output import format_ratio

    if entry.digest is None:
        note = f"-> {entry.target}" if entry.kind == "symlink" else ""
        return entry.path, entry.kind, f"{entry.mode:o}", "", "", "", "", note
    stored_bytes = manifest.encoding.archives[entry.digest].size_bytes
    return (
        entry.path,
        entry.kind,
        f"{entry.mode:o}",
        str(entry.size_bytes),
        str(stored_bytes),
        format_ratio(stored_bytes, entry.size_bytes),
        str(manifest.find_chain_depth(entry.digest)),
        entry.digest[:16],
    )
