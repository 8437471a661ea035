"""Checkpoints of the real Hugging Face Trainer, on a tiny Llama; and of `save_pretrained` in several shards."""

from pathlib import Path

import torch
from torch.utils.data import Dataset
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

from writers.tiny_model import VOCABULARY, make_optimizer

LENGTH = 16


class Rows(Dataset[dict[str, torch.Tensor]]):
    """Sequences in which the next token is a permutation of this one."""

    def __len__(self) -> int:
        return 256

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        row = [index % VOCABULARY]
        while len(row) < LENGTH:
            row.append((row[-1] * 5 + 3) % VOCABULARY)
        tokens = torch.tensor(row)
        return {"input_ids": tokens, "labels": tokens}


def write(folder: Path, steps: tuple[int, ...], width: int) -> None:
    """Write `hf-trainer` and `hf-shards`."""
    _write_trainer(folder / "hf-trainer", steps, width)
    _write_shards(folder / "hf-shards", steps, width)


def make_trainer(root: Path, step: int, width: int) -> Trainer:
    """Return a Trainer that trains until a step, and saves then."""
    torch.manual_seed(0)
    settings = TrainingArguments(
        output_dir=str(root),
        max_steps=step,
        save_steps=step,
        lr_scheduler_type="constant",
        learning_rate=1e-2,
        per_device_train_batch_size=8,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        logging_strategy="no",
    )
    return Trainer(LlamaForCausalLM(describe_llama(width)), settings, train_dataset=Rows())


def _write_trainer(root: Path, steps: tuple[int, ...], width: int) -> None:
    """Write `checkpoint-N` with `model.safetensors`, `optimizer.pt` and the marker, one Trainer a checkpoint."""
    for before, step in zip((None, *steps), steps, strict=False):
        checkpoint = None if before is None else str(root / f"checkpoint-{before}")
        make_trainer(root, step, width).train(resume_from_checkpoint=checkpoint)


def _write_shards(root: Path, steps: tuple[int, ...], width: int) -> None:
    """Write `step-N` with weights in bf16, in several files and an index."""
    torch.manual_seed(0)
    model = LlamaForCausalLM(describe_llama(width))
    optimizer, _ = make_optimizer(model)
    tokens = torch.stack([Rows()[index]["input_ids"] for index in range(8)])
    for step in range(1, max(steps) + 1):
        model(input_ids=tokens, labels=tokens).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step in steps:
            folder = root / f"step-{step}"
            copy = LlamaForCausalLM(describe_llama(width)).bfloat16()
            copy.load_state_dict(model.state_dict())
            copy.save_pretrained(folder, max_shard_size=3 * 2 * VOCABULARY * width)
            torch.save(optimizer.state_dict(), folder / "optimizer.bin")


def describe_llama(width: int) -> LlamaConfig:
    """Return the configuration of a Llama of two layers."""
    return LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=LENGTH,
        tie_word_embeddings=False,
    )
