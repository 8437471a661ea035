"""Local checkpoints are renamed when they are whole."""

from support.sightings import explain, see_directory, see_file
from weightzip.daemon.layouts import Evidence
from weightzip.daemon.layouts.names import is_temporary
from weightzip.daemon.layouts.nvrx import NvrxLayout

NVRX = NvrxLayout()
NAME = "iter_0000100_3_local.pt"


def test_only_renamed_files_are_claimed() -> None:
    assert NVRX.claims(see_file(NAME), frozenset())
    assert not NVRX.claims(see_directory(NAME, "a"), frozenset())
    assert is_temporary("iter_0000100_3_local.dirty.pt")
    assert NVRX.find_step(see_file(NAME)) == 100


def test_its_structure_proves_it_and_else_silence() -> None:
    assert explain(NVRX, see_file(NAME), evidence=Evidence(proven=frozenset({"."})), patient=False) is None
    assert explain(NVRX, see_file(NAME), patient=False) is not None
    assert explain(NVRX, see_file(NAME), patient=True) is None
