"""Make the golden files of real writers: `PYTHONPATH=tests python tests/golden/make_written_files.py [FLAX_PYTHON]`.

A file a format, written by the libraries themselves, small enough to be committed, and what they hold: every tensor that
a container reader found, after the library that wrote it was seen to hold the very same bytes. FLAX_PYTHON is a Python
with flax, which is too large for the test extra; without it, flax's file stays as it is.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from golden.written_layouts import EXPECTED, TARGET, describe_layout, list_golden_files
from writers.examine.ranges import examine_checkpoint

WIDTH = "4"
# What is copied of what `python -m writers` writes: paths below the format, and what they are called here.
CHOSEN = {
    "hf-trainer/checkpoint-9/model.safetensors": "hf-trainer",
    "hf-trainer/checkpoint-9/optimizer.pt": "hf-trainer",
    "lightning/epoch=0-step=9.ckpt": "lightning",
    "torch-legacy/step-9.pt": "torch-legacy",
    "hf-fsdp/checkpoint-9/pytorch_model_fsdp_0": "dcp-two-ranks",
    "verl/global_step_9/actor/model_world_size_2_rank_1.pt": "verl",
    "deepspeed-zero2/global_step9": "deepspeed-zero2",
    "nemo-archive/model-step=9.nemo": "nemo",
    "gguf/step-9.gguf": "gguf",
}
LIBRARIES = ("torch", "safetensors", "transformers", "accelerate", "lightning", "gguf")
_FLAX = """
import json, sys, flax, jax, numpy
from flax.serialization import to_bytes
state = {"params": {"dense": {"kernel": numpy.arange(12, dtype="f4").reshape(3, 4)}},
         "opt": {"m": jax.numpy.linspace(0, 1, 7, dtype="bfloat16"), "count": 5}}
open(sys.argv[1], "wb").write(to_bytes(state))
print(json.dumps({"flax": flax.__version__, "jax": jax.__version__}))
"""


def main() -> None:
    """Write the files and what they hold."""
    versions = {name: version(name) for name in LIBRARIES}
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "written"
        subprocess.run(
            [sys.executable, "-m", "writers", written, "--width", WIDTH], check=True, env=os.environ
        )
        for source, name in CHOSEN.items():
            _copy(written / source, TARGET / name)
    if len(sys.argv) > 1:
        (TARGET / "flax").mkdir(exist_ok=True)
        command = [sys.argv[1], "-c", _FLAX, str(TARGET / "flax" / "checkpoint_9")]
        versions |= json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    for place in sorted({TARGET / name for name in CHOSEN.values()}):
        strangers = examine_checkpoint(place).strangers
        assert not strangers, strangers[0]
    lines = [
        f"{json.dumps(name)}: {json.dumps(describe_layout(TARGET / name))}" for name in list_golden_files()
    ]
    body = ",\n".join(lines)
    EXPECTED.write_text(f'{{"written by": {json.dumps(versions)},\n"files": {{\n{body}\n}}}}\n')


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        target.mkdir(exist_ok=True, parents=True)
        shutil.copy(source, target)


if __name__ == "__main__":
    main()
