"""`weightzip prune`."""

from typing import Annotated

import typer

from weightzip.cli.options import JsonOption
from weightzip.cli.store_access import ConfirmOption, StoreArgument


def prune(
    store: StoreArgument,
    keep_last: Annotated[
        int,
        typer.Option(
            "--keep-last", metavar="N", min=1, help="Keep the newest N checkpoints, never fewer than 2."
        ),
    ],
    keep_every: Annotated[
        int | None,
        typer.Option(
            "--keep-every", metavar="N", min=1, help="Keep steps divisible by N as well.", show_default=False
        ),
    ] = None,
    confirm: ConfirmOption = False,
    json: JsonOption = False,
) -> None:
    """Remove old checkpoints from a store, and what interrupted work left there for more than a day.

    Archives that a kept checkpoint needs stay, whole chains of them.

    [bold]Examples[/bold]

      weightzip prune /backup/run-7 --keep-last 5                       # shows what would go

      weightzip prune s3://bucket/run-7 --keep-last 5 --keep-every 1000 --confirm
    """
    from weightzip.cli.output import say
    from weightzip.cli.removal import carry_out
    from weightzip.cli.store_access import open_repository
    from weightzip.daemon.keeper import MIN_KEPT, find_orphans, plan_retention

    if keep_last < MIN_KEPT:
        say(f"the newest {MIN_KEPT} always stay, whatever --keep-last says")
    repository = open_repository(store)
    manifests = repository.load_all()
    orphans = find_orphans(repository, manifests)
    plan = plan_retention(manifests, keep_last=keep_last, keep_every=keep_every, orphans=orphans)
    carry_out(repository, plan, confirm=confirm, json=json)
