"""A small language model over bytes, forward and backward, in NumPy.

The embeddings of the last `CONTEXT` bytes pass through residual blocks (RMS norm, linear, ReLU, linear) and predict the next byte.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demo.tensors import Tensors

CONTEXT = 16
EMBEDDING = 48
WIDTH = 384
HIDDEN = 1024
N_BLOCKS = 3

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]


def init_weights(rng: np.random.Generator) -> Tensors:
    """Return fresh weights: normal with the usual scales, and norms of one."""

    def normal(rows: int, columns: int, scale: float) -> Floats:
        return (rng.standard_normal((rows, columns), dtype=np.float32) * np.float32(scale)).astype(np.float32)

    weights = {
        "embed.weight": normal(256, EMBEDDING, 0.5),
        "join.weight": normal(CONTEXT * EMBEDDING, WIDTH, (CONTEXT * EMBEDDING) ** -0.5),
        "norm.weight": np.ones(WIDTH, np.float32),
        "head.weight": normal(WIDTH, 256, 0.02),
    }
    for index in range(N_BLOCKS):
        weights[f"blocks.{index}.norm.weight"] = np.ones(WIDTH, np.float32)
        weights[f"blocks.{index}.up.weight"] = normal(WIDTH, HIDDEN, (2 / WIDTH) ** 0.5)
        weights[f"blocks.{index}.down.weight"] = normal(HIDDEN, WIDTH, 0.3 * HIDDEN**-0.5)
    return weights


def compute_loss(weights: Tensors, context: Bytes, target: Bytes) -> tuple[float, Tensors]:
    """Return the mean cross-entropy in nats, and its gradient for every weight.

    Args:
        weights: what `init_weights` gives, at any later stage of training.
        context: (batch, CONTEXT) bytes.
        target: (batch,) the byte that follows each.
    """
    embedded = weights["embed.weight"][context].reshape(len(context), -1)
    stream = embedded @ weights["join.weight"]
    blocks = []
    for index in range(N_BLOCKS):
        block = _Block.run(weights, f"blocks.{index}.", stream)
        stream = stream + block.output
        blocks.append(block)
    normed, inverse_rms = _norm(stream, weights["norm.weight"])
    logits = normed @ weights["head.weight"]

    loss, d_logits = _cross_entropy(logits, target)
    gradients: Tensors = {"head.weight": normed.T @ d_logits}
    d_stream, gradients["norm.weight"] = _norm_backward(
        d_logits @ weights["head.weight"].T, stream, inverse_rms, weights["norm.weight"]
    )
    for block in reversed(blocks):
        d_stream = d_stream + block.backward(weights, d_stream, gradients)
    gradients["join.weight"] = embedded.T @ d_stream
    d_embedded = (d_stream @ weights["join.weight"].T).reshape(-1, EMBEDDING)
    gradients["embed.weight"] = _sum_by_byte(context.reshape(-1), d_embedded)
    return loss, gradients


@dataclass(frozen=True)
class _Block:
    """One residual block, with what its backward pass needs."""

    prefix: str
    stream: Floats
    inverse_rms: Floats
    normed: Floats
    hidden: Floats
    output: Floats

    @staticmethod
    def run(weights: Tensors, prefix: str, stream: Floats) -> "_Block":
        normed, inverse_rms = _norm(stream, weights[f"{prefix}norm.weight"])
        hidden: Floats = np.maximum(normed @ weights[f"{prefix}up.weight"], np.float32(0))
        output = hidden @ weights[f"{prefix}down.weight"]
        return _Block(prefix, stream, inverse_rms, normed, hidden, output)

    def backward(self, weights: Tensors, d_output: Floats, gradients: Tensors) -> Floats:
        """Return the gradient for the block's input, and add those of its weights to `gradients`."""
        gradients[f"{self.prefix}down.weight"] = self.hidden.T @ d_output
        d_hidden: Floats = d_output @ weights[f"{self.prefix}down.weight"].T
        d_hidden[self.hidden <= 0] = 0
        gradients[f"{self.prefix}up.weight"] = self.normed.T @ d_hidden
        d_normed = d_hidden @ weights[f"{self.prefix}up.weight"].T
        scale = weights[f"{self.prefix}norm.weight"]
        d_stream, gradients[f"{self.prefix}norm.weight"] = _norm_backward(
            d_normed, self.stream, self.inverse_rms, scale
        )
        return d_stream


def _norm(stream: Floats, scale: Floats) -> tuple[Floats, Floats]:
    inverse_rms = np.float32(1) / np.sqrt(np.mean(stream * stream, axis=1, keepdims=True) + np.float32(1e-6))
    return stream * inverse_rms * scale, inverse_rms


def _norm_backward(
    d_normed: Floats, stream: Floats, inverse_rms: Floats, scale: Floats
) -> tuple[Floats, Floats]:
    unit = stream * inverse_rms
    d_scale = np.sum(d_normed * unit, axis=0)
    d_unit = d_normed * scale
    return inverse_rms * (d_unit - unit * np.mean(d_unit * unit, axis=1, keepdims=True)), d_scale


def _cross_entropy(logits: Floats, target: Bytes) -> tuple[float, Floats]:
    rows = np.arange(len(target))
    shifted = logits - logits.max(axis=1, keepdims=True)
    exponentials = np.exp(shifted)
    total = exponentials.sum(axis=1, keepdims=True)
    loss = float(np.mean(np.log(total[:, 0]) - shifted[rows, target]))
    d_logits = exponentials / total
    d_logits[rows, target] -= 1
    return loss, d_logits / np.float32(len(target))


def _sum_by_byte(symbols: Bytes, rows: Floats) -> Floats:
    """Add up the rows that belong to the same byte value, as one matrix product: `np.add.at` is far slower."""
    one_hot = (symbols == np.arange(256, dtype=np.uint8)[:, None]).astype(np.float32)
    summed: Floats = one_hot @ rows
    return summed
