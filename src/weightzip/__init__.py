"""Lossless compression, safe keeping and fast restore of training checkpoints."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weightzip.files import (
        check_archive,
        check_directory,
        compress_directory,
        compress_file,
        decompress_directory,
        decompress_file,
        decompress_stream,
        open_archive,
        verify_directory,
        verify_file,
    )

    __version__: str

__all__ = [
    "check_archive",
    "check_directory",
    "compress_directory",
    "compress_file",
    "decompress_directory",
    "decompress_file",
    "decompress_stream",
    "open_archive",
    "verify_directory",
    "verify_file",
]


def __getattr__(name: str) -> object:
    """Import the functions on first use: the command line must answer --help without loading NumPy."""
    if name == "__version__":
        from importlib.metadata import version

        return version("weightzip")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from weightzip import files

    return getattr(files, name)


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted([*globals(), *__all__, "__version__"])
