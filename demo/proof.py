"""The proof at the end: every checkpoint in the store, restored by the command line and held against the trainer's digests."""

import hashlib
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from demo.processes import WEIGHTZIP
from demo.timeline import Committed


@dataclass(frozen=True)
class Proof:
    """One checkpoint restored: how long the whole command took, and whether every file is what the trainer wrote."""

    committed: Committed
    restore_seconds: float
    identical: bool


def prove_checkpoint(store: Path, committed: Committed, digests: dict[str, str], folder: Path) -> Proof:
    """Restore one checkpoint below `folder` with `weightzip restore`, and compare the SHA-256 of every file."""
    name = f"checkpoint-{committed.step}"
    started = time.monotonic()
    command = [str(WEIGHTZIP), "restore", str(store), name, "--to", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - started
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    restored = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((folder / name).iterdir())
    }
    return Proof(committed, seconds, restored == digests)


def print_proofs(console: Console, proofs: list[Proof]) -> None:
    """Print one row a checkpoint, and the sum."""
    table = Table(
        title="Every checkpoint, restored from the store (MB, seconds)", title_justify="left", box=box.SIMPLE
    )
    for name in ("step", "raw", "stored", "ratio", "encode", "publish", "restore", "identical"):
        table.add_column(name, justify="right", no_wrap=True)
    for proof in proofs:
        entry = proof.committed
        table.add_row(
            str(entry.step),
            *_format_sizes(entry.raw_bytes, entry.stored_bytes),
            f"{entry.encode_seconds:.2f}",
            f"{entry.publish_seconds:.2f}",
            f"{proof.restore_seconds:.2f}",
            "yes" if proof.identical else "NO",
        )
    raw_bytes = sum(proof.committed.raw_bytes for proof in proofs)
    stored_bytes = sum(proof.committed.stored_bytes for proof in proofs)
    table.add_section()
    table.add_row("all", *_format_sizes(raw_bytes, stored_bytes))
    console.print(table)


def _format_sizes(raw_bytes: int, stored_bytes: int) -> tuple[str, str, str]:
    return f"{raw_bytes / 1e6:.1f}", f"{stored_bytes / 1e6:.1f}", f"{stored_bytes / raw_bytes:.3f}"
