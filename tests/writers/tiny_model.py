"""A language model of a few thousand parameters, and its training: real gradients, real AdamW, a second a run."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional

VOCABULARY = 64


def build_model(width: int) -> nn.Sequential:
    """Return an embedding, two blocks, a norm and a head."""
    blocks = (
        layer
        for _ in range(2)
        for layer in (
            nn.LayerNorm(width),
            nn.Linear(width, 2 * width),
            nn.GELU(),
            nn.Linear(2 * width, width),
        )
    )
    return nn.Sequential(
        nn.Embedding(VOCABULARY, width),
        *blocks,
        nn.LayerNorm(width),
        nn.Linear(width, VOCABULARY, bias=False),
    )


@dataclass(frozen=True)
class Training:
    """A model at work, in fp32."""

    model: nn.Module
    optimizer: torch.optim.AdamW
    scheduler: torch.optim.lr_scheduler.LambdaLR

    def advance(self, n_steps: int) -> None:
        """Train some steps on a task that can be learnt: the next token is a permutation of this one."""
        for _ in range(n_steps):
            loss = compute_loss(self.model)
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
            self.scheduler.step()


def start_training(width: int, *, named: bool = False, groups: bool = False) -> Training:
    """Return a model before its first step.

    `named` gives the optimizer the names of the parameters, `groups` one group with weight decay and one without.
    """
    torch.manual_seed(0)
    model = build_model(width)
    return Training(model, *make_optimizer(model, named=named, groups=groups))


def make_optimizer(
    model: nn.Module, *, named: bool = False, groups: bool = False
) -> tuple[torch.optim.AdamW, torch.optim.lr_scheduler.LambdaLR]:
    """Return AdamW and a schedule for the parameters of a model."""
    parameters: Any = list(model.named_parameters() if named else model.parameters())
    if groups:
        matrices = [p for p in model.parameters() if p.dim() > 1]
        vectors = [p for p in model.parameters() if p.dim() <= 1]
        parameters = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(parameters, lr=1e-2, betas=(0.9, 0.95))
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step / 100))
    return optimizer, scheduler


def compute_loss(model: nn.Module) -> torch.Tensor:
    """Return the loss of a batch."""
    tokens = torch.randint(0, VOCABULARY, (64,))
    return functional.cross_entropy(model(tokens), (tokens * 5 + 3) % VOCABULARY)


def walk_steps(training: Training, steps: tuple[int, ...]) -> Iterator[int]:
    """Train to each of the steps in turn, yielding it when it is reached."""
    done = 0
    for step in steps:
        training.advance(step - done)
        done = step
        yield step
