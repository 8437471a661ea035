"""Files of the real Lightning Trainer: `epoch=0-step=N.ckpt` and the link `last.ckpt`."""

import warnings
from pathlib import Path

import torch
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.callbacks import ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

from writers.tiny_model import build_model, compute_loss, make_optimizer


class TinyModule(LightningModule):  # type: ignore[misc]  # untyped where types are checked
    """The tiny model as Lightning wants it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.model = build_model(width)

    def training_step(self, batch: list[torch.Tensor], number: int) -> torch.Tensor:
        return compute_loss(self.model)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return make_optimizer(self)[0]


def write(folder: Path, steps: tuple[int, ...], width: int) -> None:
    """Write `lightning`: a `.ckpt` a step."""
    root = folder / "lightning"
    torch.manual_seed(0)
    keeper = ModelCheckpoint(root, save_top_k=-1, every_n_train_steps=1, save_last="link")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few workers, no validation: nothing that matters here
        trainer = Trainer(
            max_steps=max(steps),
            accelerator="cpu",
            logger=False,
            callbacks=[keeper],
            enable_progress_bar=False,
            enable_model_summary=False,
            default_root_dir=root,
        )
        trainer.fit(TinyModule(width), DataLoader(TensorDataset(torch.zeros(256))))
    for path in root.glob("epoch=*.ckpt"):
        if int(path.stem.rpartition("=")[2]) not in steps:
            path.unlink()
