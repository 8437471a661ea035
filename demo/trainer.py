"""The training process: `python -m demo.trainer DIRECTORY` trains, saves, rotates, and resumes from what it finds."""

import argparse
import hashlib
import json
import os
from pathlib import Path
from typing import TextIO

import numpy as np

from demo.adamw import OptimizerState
from demo.checkpoint import Progress, list_checkpoints, load_checkpoint, rotate_checkpoints, save_checkpoint
from demo.corpus import draw_batch, load_corpus
from demo.model import compute_loss, init_weights


def main() -> None:
    """Train until `--steps`, from the newest checkpoint in the directory or from the start."""
    arguments = _parse_arguments()
    progress = _resume_or_start(arguments.directory, arguments.steps, arguments.seed)
    corpus = load_corpus()
    with arguments.log.open("a") as log:
        _write(
            log, event="start", step=progress.step, n_parameters=_count(progress.optimizer), pid=os.getpid()
        )
        for step in range(progress.step + 1, arguments.steps + 1):
            loss, gradients = compute_loss(
                progress.optimizer.weights(), *draw_batch(corpus, progress.rng, arguments.batch)
            )
            progress.optimizer.apply(gradients, step, arguments.steps)
            _write(log, event="step", step=step, loss=loss)
            if step % arguments.save_every == 0:
                saved = Progress(step, arguments.steps, progress.optimizer, progress.rng)
                target = save_checkpoint(arguments.directory, saved)
                _write(log, event="saved", step=step, files=_compute_digests(target))
                rotate_checkpoints(arguments.directory, arguments.keep)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="demo.trainer", description=__doc__)
    parser.add_argument("directory", type=Path, help="where the checkpoints go")
    parser.add_argument("--log", type=Path, required=True, help="one JSON object a line; appended to")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--save-every", type=int, default=30)
    parser.add_argument("--keep", type=int, default=2, help="checkpoints that stay in the directory")
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _resume_or_start(directory: Path, steps: int, seed: int) -> Progress:
    found = list_checkpoints(directory)
    if found:
        return load_checkpoint(found[-1])
    rng = np.random.Generator(np.random.PCG64(seed))
    return Progress(0, steps, OptimizerState.start(init_weights(rng)), rng)


def _count(optimizer: OptimizerState) -> int:
    return sum(value.size for value in optimizer.master.values())


def _compute_digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file, by name: what the restored files are held against in the end."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def _write(log: TextIO, **record: object) -> None:
    log.write(json.dumps(record) + "\n")
    log.flush()


if __name__ == "__main__":
    main()
