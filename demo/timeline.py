"""What happened so far, told by the logs of both processes, and printed as it is learnt."""

import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from rich.console import Console

from demo.records import COMPLAINTS, Record, RecordFollower, describe_complaint

PRINT_EVERY_STEPS = 10


@dataclass
class Committed:
    """One checkpoint in the store, as the sidecar's log tells it."""

    step: int
    raw_bytes: int
    stored_bytes: int
    chain_depth: int
    encode_seconds: float
    publish_seconds: float


@dataclass
class Timeline:
    """Facts gathered from the logs. `update` reads on; every loss of every attempt at a step is kept."""

    console: Console
    trainer_log: Path
    sidecar_log: Path
    losses: dict[int, list[float]] = field(default_factory=dict)
    digests: dict[int, dict[str, str]] = field(default_factory=dict)
    committed: dict[int, Committed] = field(default_factory=dict)
    started_count: int = 0
    last_step: int = 0
    first_saved_at: float | None = None  # by the monotonic clock

    def __post_init__(self) -> None:
        """Begin at the start of both logs."""
        self._began = time.monotonic()
        self._trainer = RecordFollower(self.trainer_log)
        self._sidecar = RecordFollower(self.sidecar_log)
        self._times: dict[tuple[str, int], float] = {}

    def say(self, who: str, text: str, style: str = "") -> None:
        """Print one line with the time since the beginning."""
        stamp = f"{time.monotonic() - self._began:6.1f}s"
        self.console.print(f"{stamp}  {who:8}  {text}", style=style, highlight=False, soft_wrap=True)

    def update(self) -> None:
        """Take in what the processes wrote since the last call."""
        for record in self._trainer.read_new():
            self._hear_trainer(record)
        for record in self._sidecar.read_new():
            self._hear_sidecar(record)

    def _hear_trainer(self, record: Record) -> None:
        step = record.get("step", 0)
        if record["event"] == "start":
            begins = f"goes on after step {step}" if step else "starts"
            self.say("trainer", f"{record['n_parameters'] / 1e6:.1f} M parameters, {begins}")
        elif record["event"] == "step":
            self.losses.setdefault(step, []).append(record["loss"])
            self.last_step = step
            if step % PRINT_EVERY_STEPS == 0:
                self.say("trainer", f"step {step:4}   loss {record['loss']:.4f}", "dim")
        elif record["event"] == "saved":
            self.digests[step] = record["files"]
            self.first_saved_at = self.first_saved_at or time.monotonic()
            self.say("trainer", f"saved checkpoint-{step}, keeps the newest two")

    def _hear_sidecar(self, record: Record) -> None:
        event, step = record["event"], record.get("step", 0)
        if "timestamp" in record:
            self._times[event, step] = datetime.fromisoformat(
                record["timestamp"].replace("Z", "+00:00")
            ).timestamp()
        if event == "started":
            self.started_count += 1
        elif event == "committed":
            self._add_committed(record)
        elif record.get("level") in COMPLAINTS:
            self.say("sidecar", f"{record['level']}: {describe_complaint(record)}", "yellow")

    def _add_committed(self, record: Record) -> None:
        step = record["step"]
        encoding, encoded, done = (self._times[name, step] for name in ("encoding", "encoded", "committed"))
        entry = Committed(
            step,
            record["raw_bytes"],
            record["stored_bytes"],
            record["chain_depth"],
            encoded - encoding,
            done - encoded,
        )
        self.committed[step] = entry
        against = "alone" if entry.chain_depth == 0 else "against its predecessor"
        sizes = f"{entry.raw_bytes / 1e6:.1f} -> {entry.stored_bytes / 1e6:.1f} MB"
        self.say("sidecar", f"checkpoint-{step} is in the store: {sizes}, {against}", "green")
