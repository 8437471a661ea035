"""Training goes on from what was restored, in the real trainers."""

from pathlib import Path

import torch
from accelerate import Accelerator
from transformers import LlamaForCausalLM

from writers.__main__ import STEPS, WIDTH
from writers.compatibility import list_checkpoints, restore
from writers.examine.contents import load_tensors
from writers.hf_trainer import make_trainer
from writers.lightning_files import TinyModule
from writers.tiny_model import start_training


def restore_newest(watched: Path, work: Path) -> tuple[Path, Path]:
    """Return the newest checkpoint and where it was restored to."""
    before, newest = list_checkpoints(watched)[-2:]
    return newest, restore(before, newest, work)


def test_hugging_face_trainer(written: Path, tmp_path: Path) -> None:
    newest, restored = restore_newest(written / "hf-trainer", tmp_path)
    loaded = LlamaForCausalLM.from_pretrained(restored).state_dict()
    saved = load_tensors(newest / "model.safetensors")
    assert {f":.{name}" for name in loaded} == set(saved)
    assert all(tensor.equal(saved[f":.{name}"]) for name, tensor in loaded.items())
    trainer = make_trainer(tmp_path / "run", max(STEPS) + 1, WIDTH)
    trainer.train(resume_from_checkpoint=str(restored))
    assert (tmp_path / "run" / f"checkpoint-{max(STEPS) + 1}" / "optimizer.pt").exists()


def test_accelerate(written: Path, tmp_path: Path) -> None:
    newest, restored = restore_newest(written / "accelerate" / "checkpoints", tmp_path)
    training = start_training(WIDTH, groups=True)
    accelerator = Accelerator(cpu=True)
    model, *_ = accelerator.prepare(training.model, training.optimizer, training.scheduler)
    accelerator.load_state(str(restored))
    saved = load_tensors(newest / "model.safetensors")
    assert all(tensor.equal(saved[f":.{name}"]) for name, tensor in model.state_dict().items())
    assert training.optimizer.state_dict()["state"][0]["step"] == max(STEPS)


def test_lightning(written: Path, tmp_path: Path) -> None:
    newest, restored = restore_newest(written / "lightning", tmp_path)
    module = TinyModule.load_from_checkpoint(restored, weights_only=False)
    saved = torch.load(newest, weights_only=False)["state_dict"]
    assert all(tensor.equal(saved[name]) for name, tensor in module.state_dict().items())
