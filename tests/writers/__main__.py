"""`python -m writers FOLDER`: let every writer write its checkpoints. A process of its own: the libraries stay in it."""

import argparse
import importlib
import os
import warnings
from pathlib import Path

from writers.formats import FORMATS

STEPS = (9, 10, 12)
WIDTH = 32


def main() -> None:
    """Write into the folder, which must not exist yet, a folder a format."""
    os.environ.update(HF_HUB_OFFLINE="1", HF_HUB_DISABLE_PROGRESS_BARS="1", TRANSFORMERS_VERBOSITY="error")
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(prog="python -m writers", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--width", type=int, default=WIDTH)
    parser.add_argument("--only", action="append", help="module of a writer (repeatable)")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True)
    for writer in arguments.only or dict.fromkeys(one.writer for one in FORMATS.values()):
        importlib.import_module(f"writers.{writer}").write(arguments.folder, STEPS, arguments.width)


if __name__ == "__main__":
    main()
