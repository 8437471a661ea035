"""Archives of the steps of one file, each made against the step before."""

from pathlib import Path

from shards.build import write_step
from weightzip.files import compress_file


def write_chain(directory: Path, n_steps: int) -> list[Path]:
    """Write the archives of that many steps, and nothing else; return them in order."""
    archives: list[Path] = []
    earlier = None
    for step in range(n_steps):
        source = write_step(directory, step, n_elements=200)
        archives.append(directory / f"step-{step:03}.wzst")
        report = compress_file(source, archives[-1], base=earlier)
        assert (report.base_digest is not None) == (step > 0)
        if earlier is not None:
            earlier.unlink()
        earlier = source
    if earlier is not None:
        earlier.unlink()
    return archives
