"""What `rm` and `prune` share: show a plan, carry it out if that is confirmed, say what was done."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weightzip.daemon.keeper import RetentionPlan
    from weightzip.daemon.store import Repository


def carry_out(repository: "Repository", plan: "RetentionPlan", *, confirm: bool, json: bool) -> None:
    """Print a plan; with `confirm`, do what it says."""
    from weightzip.cli.output import format_bytes, print_json, say
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
    say(
        f"{verb} {len(plan.remove)} checkpoints and {format_bytes(freed_bytes)} of archives that nobody needs then"
    )
    if plan.orphans:
        say(f"among them {len(plan.orphans)} left by interrupted work")
    if not confirm:
        say("nothing was changed: pass --confirm to do it")
