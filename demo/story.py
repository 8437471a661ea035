"""The demonstration, act by act: train, lose everything but the store, come back, prove it."""

import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from demo.processes import ChildProcess, start_sidecar, start_trainer
from demo.proof import Proof, print_proofs, prove_checkpoint
from demo.records import find_last_error
from demo.timeline import Timeline

PATIENCE_SECONDS = 90
COMMIT_PATIENCE_SECONDS = 60
"""From the first save to the first checkpoint in the store, which takes a healthy sidecar about a second."""
STOP_SECONDS = 40


@dataclass(frozen=True)
class Script:
    """How long the demonstration is."""

    steps: int
    save_every: int
    kill_at: int  # the step after which everything but the store is lost


class Story:
    """Plays the acts in `folder`, which must be empty. `end` leaves no process behind, whatever happened."""

    def __init__(self, folder: Path, script: Script, console: Console) -> None:
        self._script = script
        self._checkpoints, self._state = folder / "checkpoints", folder / "state"
        self._store, self._trainer_log = folder / "store", folder / "trainer.jsonl"
        self._sidecar_log = folder / "sidecar.jsonl"
        self._timeline = Timeline(console, self._trainer_log, self._sidecar_log)
        self._console = console
        self._processes: list[ChildProcess] = []

    def play(self) -> bool:
        """Play all acts; return whether every loss and every file came back the same."""
        self._train_until_lost()
        self._lose_everything()
        same_losses = self._come_back()
        proofs = self._prove()
        print_proofs(self._console, proofs)
        return same_losses and all(proof.identical for proof in proofs)

    def end(self) -> None:
        """Kill what still runs."""
        for process in self._processes:
            if process.exit_code is None:
                process.kill()

    def _train_until_lost(self) -> None:
        self._checkpoints.mkdir()
        self._timeline.say(
            "demo", f"a sidecar watches {self._checkpoints}; the store is {self._store}", "bold"
        )
        self._start_sidecar()
        self._trainer = self._start_trainer()
        # When the trainer has ended already, wait on: the sidecar shows now whether it is to blame.
        self._wait_until(
            lambda: (
                (self._timeline.last_step >= self._script.kill_at or self._trainer.exit_code is not None)
                and (len(self._timeline.committed) > 0 or self._timeline.first_saved_at is None)
            ),
            f"step {self._script.kill_at} is trained and a checkpoint is in the store",
        )
        if self._trainer.exit_code is not None:
            self._check_trainer()
            raise SystemExit("the trainer ended before it could be killed: give more --steps")

    def _lose_everything(self) -> None:
        self._trainer.kill()
        self._sidecar.kill()
        self._timeline.update()
        shutil.rmtree(self._checkpoints)
        shutil.rmtree(self._state)
        self._checkpoints.mkdir()
        lost = f"kill -9 for both after step {self._timeline.last_step}; checkpoints and spool are wiped"
        self._timeline.say("demo", f"{lost}: only the store is left", "bold red")

    def _come_back(self) -> bool:
        """Start both anew and train to the end; return whether the steps that were lost gave the same losses."""
        timeline, lost_step, newest = self._timeline, self._timeline.last_step, max(self._timeline.committed)
        began = time.monotonic()
        self._start_sidecar()
        if not (self._checkpoints / f"checkpoint-{newest}" / "trainer_state.json").exists():
            raise SystemExit(f"checkpoint-{newest} was not restored")
        seconds = time.monotonic() - began
        timeline.say(
            "sidecar", f"restored checkpoint-{newest} in {seconds:.1f}s, start included", "bold green"
        )
        self._trainer = self._start_trainer()
        self._wait_until(lambda: self._trainer.exit_code is not None, "the trainer is done")
        self._check_trainer()
        timeline.update()
        repeated = [timeline.losses[step] for step in range(newest + 1, lost_step + 1)]
        same = len(repeated) > 0 and all(len(values) == 2 and values[0] == values[1] for values in repeated)
        verdict = "the same to the last bit" if same else "NOT the same"
        steps = f"steps {newest + 1} to {lost_step}, trained twice"
        timeline.say("demo", f"{steps}: losses are {verdict}", "bold green" if same else "bold red")
        return same

    def _prove(self) -> list[Proof]:
        """End the sidecar, which first stores what is left, and restore every checkpoint from the store."""
        exit_code = self._sidecar.stop(STOP_SECONDS)
        self._timeline.update()
        if exit_code != 0:
            raise SystemExit(f"the sidecar ended with {exit_code}")
        self._check_committed()
        self._timeline.say("demo", "the sidecar has ended; restoring every checkpoint from the store", "bold")
        with tempfile.TemporaryDirectory(dir=self._store.parent) as folder:
            return [
                prove_checkpoint(self._store, entry, self._timeline.digests[step], Path(folder))
                for step, entry in sorted(self._timeline.committed.items())
            ]

    def _check_committed(self) -> None:
        """Allow what a sidecar on a busy machine may do, let go of older checkpoints, but never of the newest."""
        saved, committed = set(self._timeline.digests), set(self._timeline.committed)
        if max(saved) not in committed:
            raise SystemExit(f"checkpoint-{max(saved)} is not in the store; logs: {self._store.parent}")
        if saved - committed:
            steps = ", ".join(map(str, sorted(saved - committed)))
            self._timeline.say(
                "demo", f"the sidecar fell behind and let go of older checkpoints: {steps}", "yellow"
            )

    def _start_trainer(self) -> ChildProcess:
        process = start_trainer(
            self._checkpoints, self._trainer_log, self._script.steps, self._script.save_every
        )
        self._processes.append(process)
        return process

    def _start_sidecar(self) -> None:
        """Start the sidecar and wait until it has started: with an empty directory, that is after the restore."""
        expected = self._timeline.started_count + 1
        self._sidecar = start_sidecar(self._checkpoints, self._store, self._state, self._sidecar_log)
        self._processes.append(self._sidecar)
        self._wait_until(lambda: self._timeline.started_count == expected, "the sidecar starts")

    def _wait_until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise SystemExit(
                    f"waited {PATIENCE_SECONDS}s in vain until {what}; logs: {self._store.parent}"
                )
            time.sleep(0.05)
            self._timeline.update()
            self._check_sidecar()

    def _check_trainer(self) -> None:
        """Stop the demonstration if the trainer failed."""
        if self._trainer.exit_code != 0:
            output = self._trainer_log.with_suffix(".output")
            raise SystemExit(f"the trainer ended with {self._trainer.exit_code}; what it said: {output}")

    def _check_sidecar(self) -> None:
        """Stop the demonstration if the sidecar ended, or stored nothing though there was time enough."""
        if self._sidecar.exit_code is not None:
            self._blame_sidecar(f"ended with {self._sidecar.exit_code}")
        saved_at = self._timeline.first_saved_at
        if saved_at is None or self._timeline.committed:
            return
        if time.monotonic() - saved_at > COMMIT_PATIENCE_SECONDS:
            self._blame_sidecar(f"has stored nothing, {COMMIT_PATIENCE_SECONDS} s after the first save")

    def _blame_sidecar(self, fault: str) -> NoReturn:
        error = find_last_error(self._sidecar_log)
        raise SystemExit(f"the sidecar {fault}\n  its last error: {error}\n  its log: {self._sidecar_log}")
