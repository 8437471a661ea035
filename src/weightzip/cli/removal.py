"""What `rm` and `prune` share: show a plan, carry it out if that is confirmed, say what was done."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weightzip.daemon.keeper import RetentionPlan
    from weightzip.daemon.store import Repository


def carry_out(repository: "Repository", plan: "RetentionPlan", *, confirm: bool, json: bool) -> None:
    """Print a plan; with `confirm`, do what it says."""
    from weightzip.cli.output import format_bytes, format_count, print_json, say
    from weightzip.daemon.keeper import execute_plan

    report = execute_plan(repository, plan) if confirm else None
    freed_bytes = plan.freed_bytes if report is None else report.freed_bytes
    if json:
        print_json(
            {
                "confirmed": confirm,
                "remove": [{"step": manifest.step, "name": manifest.name} for manifest in plan.remove],
                "keep": [{"step": manifest.step, "name": manifest.name} for manifest in plan.keep],
                "n_objects": len(plan.delete_objects) + len(plan.orphans)
                if report is None
                else report.n_deleted_objects,
                "freed_bytes": freed_bytes,
            }
        )
        return
    verb = "removed" if confirm else "would remove"
    for manifest in plan.remove:
        say(f"{verb} {manifest.name} (step {manifest.step})")
    checkpoints = format_count(len(plan.remove), "checkpoint")
    say(f"{verb} {checkpoints} and {format_bytes(freed_bytes)} of archives that nobody needs then")
    leaned_on_bytes = _measure_leaned_on(plan)
    if leaned_on_bytes:
        stay = "stay" if confirm else "would stay"
        say(f"{format_bytes(leaned_on_bytes)} of their archives {stay}: kept checkpoints lean on them")
    if plan.orphans:
        say(f"among them {len(plan.orphans)} left by interrupted work")
    if not confirm:
        say("nothing was changed: pass --confirm to do it")


def _measure_leaned_on(plan: "RetentionPlan") -> int:
    """Return the bytes of the removed checkpoints' archives that kept checkpoints need."""
    needed = {digest for manifest in plan.keep for digest in manifest.object_digests}
    records = (record for manifest in plan.remove for record in manifest.encoding.archives.values())
    sizes = {record.object_digest: record.size_bytes for record in records if record.object_digest in needed}
    return sum(sizes.values())
