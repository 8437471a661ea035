"""Checkpoints of several files that share, copy and swap tensors: whatever leans on what, the directory comes back."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shards.build import Tensor, build_safetensors
from weightzip.codec.derivation import Derivation, derive
from weightzip.files import check_directory, compress_directory, decompress_directory, verify_directory

# Folders, names that sort before and after each other, files without tensors.
PATHS = ["a.safetensors", "b.safetensors", "sub/a.safetensors", "sub/deep/z.safetensors", "notes.txt"]
SHAPE = (90, 100)
N_PARAMETERS = 3


def _list_tensors(seed: int) -> list[Tensor]:
    """Return parameters at a step as fp32 masters, copies in bf16, and masters under another name."""
    tensors = []
    for number in range(N_PARAMETERS):
        start = np.random.default_rng(number).standard_normal(SHAPE)
        moved = np.random.default_rng([seed, number]).standard_normal(SHAPE)
        master = (start * (1 + 0.001 * seed * moved)).astype("<f4").tobytes()
        copy = bytes(derive(master, Derivation.BF16_NEAREST_EVEN))
        tensors += [
            Tensor(f"master.{number}", "F32", SHAPE, master),
            Tensor(f"model.{number}", "BF16", SHAPE, copy),
            Tensor(f"tied.{number}", "F32", SHAPE, master),
        ]
    return tensors


@st.composite
def checkpoints(draw: st.DrawFn) -> dict[str, bytes]:
    """Draw the files of a checkpoint by path: some steps mixed, some files twice."""
    tensors = _list_tensors(draw(st.integers(0, 2)))
    files: dict[str, bytes] = {}
    for path in draw(st.lists(st.sampled_from(PATHS), unique=True, min_size=1)):
        if files and draw(st.integers(0, 3)) == 0:
            files[path] = draw(st.sampled_from(sorted(files.values())))
        elif path.endswith(".txt"):
            files[path] = draw(st.binary(max_size=40))
        else:
            files[path] = build_safetensors(
                draw(st.lists(st.sampled_from(tensors), unique_by=lambda tensor: tensor.name, max_size=5))
            )
    return files


def _write_tree(root: Path, files: dict[str, bytes]) -> Path:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


@given(checkpoints(), st.none() | checkpoints(), st.booleans(), st.booleans())
def test_directories_come_back(
    files: dict[str, bytes], before: dict[str, bytes] | None, swaps: bool, base_is_raw: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        source, archives, base = _write_tree(root / "source", files), root / "archives", None
        if swaps:  # the predecessor has the same contents in other places
            before = dict(zip(files, reversed(files.values()), strict=True))
        if before is not None:
            base = _write_tree(root / "before", before)
            if not base_is_raw:
                compress_directory(base, root / "before-archives", verify=False)
                shutil.rmtree(base)
                base = root / "before-archives"
        compress_directory(source, archives, base=base, n_threads=1)
        verify_directory(source, archives, base=base, n_threads=1)
        shutil.rmtree(source)
        check_directory(archives, base=base, n_threads=1)
        decompress_directory(archives, root / "out", base=base, n_threads=1)
        restored = {
            str(path.relative_to(root / "out")): path.read_bytes()
            for path in (root / "out").rglob("*")
            if path.is_file()
        }
        assert restored == files
