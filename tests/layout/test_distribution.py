"""What a source distribution and a wheel hold."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> tarfile.TarFile:
    """Give the source distribution, opened."""
    folder = tmp_path_factory.mktemp("sdist")
    _call_backend(f"build_sdist({str(folder)!r})")
    (path,) = folder.glob("*.tar.gz")
    return tarfile.open(path)


@pytest.fixture(scope="module")
def pure_wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Give a wheel built without the extension (seconds instead of a minute), opened."""
    folder = tmp_path_factory.mktemp("wheel")
    _call_backend(f"build_wheel({str(folder)!r}, {{'wheel.cmake': 'false'}})")
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def _call_backend(call: str) -> None:
    code = f"from scikit_build_core import build; build.{call}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_sdist_keeps_the_links_and_doubles_nothing(sdist: tarfile.TarFile) -> None:
    top = sdist.getnames()[0].split("/")[0]
    links = {member.name: member.linkname for member in sdist.getmembers() if member.issym()}
    for folder in ("codec", "daemon", "gpu", "config"):
        assert links[f"{top}/src/weightzip/{folder}"] == f"../../{folder}"
    below_links = [name for name in sdist.getnames() if name.startswith(f"{top}/src/weightzip/codec/")]
    assert below_links == []
    assert f"{top}/codec/__init__.py" in sdist.getnames()
    assert any(name.startswith(f"{top}/codec/native/") for name in sdist.getnames())


def test_the_wheel_holds_the_package_and_no_native_sources(pure_wheel: zipfile.ZipFile) -> None:
    names = pure_wheel.namelist()
    for expected in (
        "__init__.py",
        "py.typed",
        "errors.py",
        "codec/__init__.py",
        "codec/_native.pyi",
        "daemon/__init__.py",
    ):
        assert f"weightzip/{expected}" in names
    assert [name for name in names if "/native/" in name] == []
    tops = {name.split("/")[0] for name in names}
    assert all(top == "weightzip" or top.endswith(".dist-info") for top in tops)


@pytest.mark.slow
def test_a_plain_install_works_in_an_empty_environment(tmp_path: Path) -> None:
    """Build the wheel for real, install it elsewhere and use it there."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = str(environment / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(ROOT)]
    subprocess.run(install, check=True, cwd=tmp_path)
    original = tmp_path / "original"
    original.write_bytes(bytes(range(256)) * 1000)
    weightzip = environment / "bin" / "weightzip"
    subprocess.run([weightzip, "compress", original, tmp_path / "archive.wzst"], check=True)
    subprocess.run([weightzip, "decompress", tmp_path / "archive.wzst", tmp_path / "restored"], check=True)
    assert (tmp_path / "restored").read_bytes() == original.read_bytes()
