"""Every format that is proven with files of its own writer: who writes it, and which folder of it is watched."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """One trainer's way. `writer` is the module that writes it; `watched` the folder that its checkpoints lie in."""

    title: str
    writer: str
    watched: str = "."


FORMATS: Mapping[str, Format] = {
    "hf-trainer": Format("Hugging Face Trainer", "hf_trainer"),
    "hf-shards": Format("`save_pretrained` in several shards", "hf_trainer"),
    "hf-fsdp": Format("Hugging Face Trainer, FSDP sharded", "dcp_folders"),
    "accelerate": Format("Accelerate `save_state`", "accelerate_states", "checkpoints"),
    "lightning": Format("Lightning `.ckpt`", "lightning_files"),
    "torch-zip": Format("`torch.save`", "torch_files"),
    "torch-legacy": Format("`torch.save`, before 1.6", "torch_files"),
    "dcp": Format("DCP, one process", "dcp_folders"),
    "torchtitan": Format("torchtitan (DCP, two ranks)", "dcp_folders"),
    "verl": Format("verl (DTensors in `torch.save`)", "dcp_folders"),
    "deepspeed-zero2": Format("DeepSpeed ZeRO-1 and 2", "deepspeed_folders"),
    "deepspeed-zero3": Format("DeepSpeed ZeRO-3", "deepspeed_folders"),
    "deepspeed-universal": Format("DeepSpeed universal", "deepspeed_folders"),
    "megatron-torch": Format("Megatron `torch`", "megatron_folders"),
    "megatron-dist": Format("Megatron-Core `torch_dist`, by name", "megatron_folders"),
    "megatron-buckets": Format("Megatron-Core `torch_dist`, by bucket", "megatron_folders"),
    "nemo-archive": Format("`.nemo`", "nemo_files"),
    "nemo-dist": Format("NeMo distributed", "nemo_files"),
    "safetensors": Format("safetensors", "plain_files"),
    "numpy": Format("NumPy `.npz`", "plain_files"),
    "gguf": Format("GGUF", "plain_files"),
}
