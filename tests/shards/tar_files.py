"""Small tar files, with the long names of each kind."""

import io
import tarfile
from collections.abc import Mapping

from shards.build import build_step


def build_tar(files: Mapping[str, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    """Return a tar of a directory, these files and a link, as a format of the tarfile module."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        folder = tarfile.TarInfo("./")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("./link")
        link.type, link.linkname = (
            tarfile.SYMTYPE,
            "target" if form == tarfile.USTAR_FORMAT else "./target" * 20,
        )
        tar.addfile(link)
    return out.getvalue()


def build_small_tar(form: int = tarfile.GNU_FORMAT) -> bytes:
    """Return a tar as NeMo writes it: a configuration, and weights."""
    weights = build_step(1, n_elements=1000)
    return build_tar({"./model_config.yaml": b"a: 1\n", "./" + "long/" * 30 + "weights": weights}, form)
