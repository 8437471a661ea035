"""Make a training run to measure on: the demonstration's trainer, saved at four steps. Two to three minutes, once."""

from pathlib import Path

import numpy as np
from demo.adamw import BETA2, OptimizerState
from demo.checkpoint import Progress, save_checkpoint
from demo.corpus import draw_batch, load_corpus
from demo.model import compute_loss, init_weights

from benchmarks.cases.training_run import TrainingRun

STEPS = 1200
SAVE_AT = (STEPS - 200, STEPS - 20, STEPS - 1, STEPS)


def make_run(folder: Path) -> TrainingRun:
    """Return the run in `folder`, training it first if it is not there."""
    if not (folder / f"checkpoint-{STEPS}" / "trainer_state.json").exists():
        _train(folder)
    return TrainingRun("demo run", folder, str(BETA2), "end of cosine")


def _train(folder: Path) -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    optimizer = OptimizerState.start(init_weights(rng))
    corpus = load_corpus()
    for step in range(1, STEPS + 1):
        _, gradients = compute_loss(optimizer.weights(), *draw_batch(corpus, rng, 512))
        optimizer.apply(gradients, step, STEPS)
        if step in SAVE_AT:
            save_checkpoint(folder, Progress(step, STEPS, optimizer, rng))
