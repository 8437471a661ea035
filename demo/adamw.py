"""AdamW with an fp32 master copy of the weights, as mixed-precision trainers keep it."""

from dataclasses import dataclass

import numpy as np

from demo.tensors import Tensors, round_to_bf16, widen_bf16

LEARNING_RATE = 1e-3
BETA1, BETA2 = 0.9, 0.95
EPSILON = 1e-8
WEIGHT_DECAY = 0.1
WARMUP_STEPS = 30


@dataclass(frozen=True)
class OptimizerState:
    """The fp32 master weights and the two moments of each, by weight name. `apply` changes them in place."""

    master: Tensors
    exp_avg: Tensors
    exp_avg_sq: Tensors

    @staticmethod
    def start(weights: Tensors) -> "OptimizerState":
        """Return the state before the first step."""
        zeros = {name: np.zeros_like(value) for name, value in weights.items()}
        return OptimizerState(weights, zeros, {name: value.copy() for name, value in zeros.items()})

    def weights(self) -> Tensors:
        """Return the bf16 working copy of the master weights, widened for NumPy's products."""
        return {name: widen_bf16(round_to_bf16(value)) for name, value in self.master.items()}

    def apply(self, gradients: Tensors, step: int, total_steps: int) -> None:
        """Take step number `step` (from 1)."""
        rate = learning_rate(step, total_steps)
        first_correction, second_correction = 1 - BETA1**step, 1 - BETA2**step
        for name, gradient in gradients.items():
            mean, square, value = self.exp_avg[name], self.exp_avg_sq[name], self.master[name]
            mean += np.float32(1 - BETA1) * (gradient - mean)
            square += np.float32(1 - BETA2) * (gradient * gradient - square)
            if value.ndim > 1:
                value *= np.float32(1 - rate * WEIGHT_DECAY)
            denominator = np.sqrt(square / np.float32(second_correction)) + np.float32(EPSILON)
            value -= np.float32(rate / first_correction) * mean / denominator


def learning_rate(step: int, total_steps: int) -> float:
    """Return the rate at `step`: linear warm-up, then a cosine down to a tenth."""
    if step < WARMUP_STEPS:
        return LEARNING_RATE * step / WARMUP_STEPS
    progress = min(1.0, (step - WARMUP_STEPS) / max(1, total_steps - WARMUP_STEPS))
    return LEARNING_RATE * (0.55 + 0.45 * float(np.cos(np.pi * progress)))
