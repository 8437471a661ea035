"""A user's own type checker understands our public functions, and catches misuse."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

_RIGHT = """
from pathlib import Path

from weightzip import compress_file, decompress_file, open_archive, verify_file
from weightzip.errors import WeightzipError, WrongPredecessor

report = compress_file(Path("a.safetensors"), "a.wzst", base="earlier.safetensors", n_threads=2)
ratio: float = report.stored_bytes / report.raw_bytes
code: int = WrongPredecessor.exit_code
try:
    digest: str = verify_file("a.safetensors", "a.wzst").file_digest
    decompress_file("a.wzst", "b.safetensors", force=True)
except WeightzipError as error:
    hint: str = error.hint
with open_archive("s3://bucket/a.wzst", storage_options={"anon": True}) as archive:
    names: list[str] = list(archive.keys())
"""

_WRONG = """
from weightzip import compress_file, open_archive

compress_file("a.safetensors")
size: str = compress_file("a.safetensors", "a.wzst").raw_bytes
compress_file("a.safetensors", "a.wzst", bass="earlier.safetensors")
open_archive("a.wzst").tensors_by_magic()
"""


def test_right_use_passes_and_each_wrong_use_is_found(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(_RIGHT)
    (tmp_path / "wrong.py").write_text(_WRONG)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--cache-dir=cache",
        "right.py",
        "wrong.py",
    ]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        check=False,
    )
    found = set(re.findall(r"^(\w+\.py):(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE))
    assert found == {
        ("wrong.py", "4", "call-arg"),
        ("wrong.py", "5", "assignment"),
        ("wrong.py", "6", "call-arg"),
        ("wrong.py", "7", "attr-defined"),
    }, done.stdout + done.stderr
