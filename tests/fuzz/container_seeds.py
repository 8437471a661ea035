"""Sound files for the targets in container_targets.py."""

import io
import tarfile
import zipfile
from collections.abc import Mapping, Sequence

import numpy as np

from shards.build import build_step
from shards.flax_msgpack import Leaf, build_small_msgpack, pack, pack_fragments
from shards.gguf import build_small_gguf
from shards.numpy_files import build_npy, build_npz, build_small_npz
from shards.tar_files import build_small_tar


def list_container_seeds() -> Mapping[str, Sequence[bytes]]:
    """Return sound files by target."""
    weights = np.arange(12, dtype=np.float32).reshape(3, 4)
    in_fragments = pack_fragments(
        Leaf((3, 4), "float32", weights.tobytes()), fragment_elements=5, element_bytes=4
    )
    return {
        "safetensors": [build_step(1, n_elements=20)],
        "npy": [build_npy(weights), build_npy(np.asfortranarray(weights), version=(3, 0))],
        "npz": [build_small_npz(), build_npz({"w": weights}, compressed=True)],
        "gguf": [build_small_gguf()],
        "msgpack": [build_small_msgpack(), pack({"embed": in_fragments})],
        "tar": [
            build_small_tar(form) for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
        ],
        "dcp items": [_build_torch_like() * 2, _build_torch_like()],
    }


def _build_torch_like() -> bytes:
    """Return a zip that ends as those of torch do: with records of 64 bits, whatever its size."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("archive/data.pkl", b"N.")
    plain = out.getvalue()
    directory_bytes, directory_offset = (int.from_bytes(plain[-10:][at : at + 4], "little") for at in (0, 4))
    sizes = directory_bytes.to_bytes(8, "little") + directory_offset.to_bytes(8, "little")
    end = b"PK\x06\x06" + bytes(36) + sizes
    locator = b"PK\x06\x07" + bytes(4) + (len(plain) - 22).to_bytes(8, "little") + bytes(4)
    return plain[:-22] + end + locator + plain[-22:]
