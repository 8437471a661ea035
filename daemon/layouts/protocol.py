"""The contract of a layout: pure questions about a sighting, what its files showed, and its neighbours."""

from typing import Literal, Protocol

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.sighting import Sighting

PATIENT_FACTOR = 4
"""Without a marker, a candidate must be quiet this many times longer before silence counts as its end."""

Signal = Literal[
    "marker", "tracker", "rename", "expected set", "file times", "negative marker", "neighbours", "silence"
]
"""What may tell that a checkpoint is whole, beside the structure of its files, which every layout asks for."""


class Layout(Protocol):
    """How one trainer lays out its checkpoints. Answers of None mean "nothing is wrong"; text is the reason why not."""

    @property
    def name(self) -> str:
        """Return the name used in the configuration and in status."""

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Return what completeness is told by, the strongest first."""

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        """Say whether this candidate, in a directory with these names, is a checkpoint of this layout."""

    def find_step(self, sighting: Sighting) -> int:
        """Return the training step."""

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        """Say why nothing proves that the trainer has finished (MARKED).

        `patient` is true once the candidate has been quiet `PATIENT_FACTOR` times its quiet period.
        """
