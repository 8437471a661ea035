"""`weightzip rm`."""

from typing import TYPE_CHECKING

from weightzip.cli.options import JsonOption
from weightzip.cli.store_access import CheckpointArgument, ConfirmOption, StoreArgument

if TYPE_CHECKING:
    from weightzip.daemon.store import CheckpointKey, Repository


def rm(
    store: StoreArgument,
    checkpoint: CheckpointArgument,
    confirm: ConfirmOption = False,
    json: JsonOption = False,
) -> None:
    """Remove one checkpoint from a store, with the archives that no other checkpoint needs.

    Checkpoints that were encoded against it stay whole.

    [bold]Examples[/bold]

      weightzip rm /backup/run-7 5000              # shows what would go

      weightzip rm /backup/run-7 5000 --confirm
    """
    from weightzip.cli.removal import carry_out
    from weightzip.cli.store_access import open_repository
    from weightzip.daemon.keeper import plan_removal
    from weightzip.errors import CorruptData, UnsupportedVersion

    repository = open_repository(store)
    key = repository.find(checkpoint)
    try:
        doomed = repository.load(key)
    except (CorruptData, UnsupportedVersion) as error:
        _remove_damaged(repository, key, str(error), confirm=confirm, json=json)
        return
    plan = plan_removal([*repository.load_all(skip=[key]), doomed], [key])
    carry_out(repository, plan, confirm=confirm, json=json)


def _remove_damaged(
    repository: "Repository", key: "CheckpointKey", damage: str, *, confirm: bool, json: bool
) -> None:
    """Remove a manifest that cannot be read: which archives it named nobody knows."""
    from weightzip.cli.output import print_json, say

    say(f"the manifest of step {key.step} is damaged: {damage}")
    if confirm:
        repository.remove(key)
    if json:
        removed = [{"step": key.step, "name": None}]
        print_json({"confirmed": confirm, "remove": removed, "keep": None, "n_objects": 0, "freed_bytes": 0})
        return
    say(f"{'removed' if confirm else 'would remove'} the manifest; `prune` deletes its archives after a day")
    if not confirm:
        say("nothing was changed: pass --confirm to do it")
