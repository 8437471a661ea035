"""Sizes: every case and whole checkpoint through every compressor, each round trip proven; nothing is timed here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.case import Case, Facts, WholeCheckpoint
from benchmarks.entropy import compute_entropies
from benchmarks.rival import Rival, prove_round_trip
from benchmarks.rivals.names import OUR_LEVELS
from benchmarks.targets import find_max_target, find_target
from weightzip import compress_file, open_archive, verify_file
from weightzip.codec.recipes.level import Level
from weightzip.files.bench.kinds import Part, split_index
from weightzip.files.beside import BesideFiles, rank_file

BEST_PEERS = "best rival of each kind"
ORDER_0, GIVEN_EXPONENT = "int, order-0", "int given exponent"


@dataclass(frozen=True)
class RatioRow:
    """Stored / original size of one case. `computed` are entropies, which no compressor reached.

    `target` is for our default level, `max_target` for the highest.
    """

    facts: Facts
    n_bytes: int
    ratios: Mapping[str, float]
    computed: Mapping[str, float]
    target: float | None
    max_target: float | None = None


def measure_ratios(cases: Sequence[Case], rivals: Sequence[Rival], work: Path) -> list[RatioRow]:
    """Return a row a case. `work` is for temporary files.

    Raises:
        SystemExit, WeightzipError: a compressor did not bring back every byte; no figure is worth printing then.
    """
    return [_measure_case(case, rivals, work) for case in cases]


def measure_wholes(wholes: Sequence[WholeCheckpoint], rows: Sequence[RatioRow], work: Path) -> list[RatioRow]:
    """Return a row a checkpoint: us on its files together, beside the best rival of each kind among `rows`."""
    return [
        RatioRow(
            whole.facts,
            n_bytes := sum(path.stat().st_size for path in whole.files),
            {
                BEST_PEERS: combine_best_rivals(rows, whole.facts),
                **{
                    name: _count_checkpoint_bytes(whole, level, work) / n_bytes
                    for name, level in OUR_LEVELS.items()
                },
            },
            {},
            find_target(whole.facts),
        )
        for whole in wholes
    ]


def combine_best_rivals(rows: Sequence[RatioRow], whole: Facts) -> float:
    """Return the ratio of a checkpoint each kind of which goes to the rival that makes it smallest."""
    kinds = [row for row in rows if (row.facts.data, row.facts.spacing) == (whole.data, whole.spacing)]
    stored = sum(
        row.n_bytes * min(ratio for name, ratio in row.ratios.items() if name not in OUR_LEVELS)
        for row in kinds
    )
    return stored / sum(row.n_bytes for row in kinds)


def share_archive(parts: Sequence[Part], archive_bytes: int, names: frozenset[str]) -> float:
    """Return the part of an archive, in bytes, that the named tensors answer for.

    Each tensor answers for its frames. What belongs to no tensor (header, index, glue) is shared by original bytes.
    """
    tensors = [part for part in parts if part.name is not None]
    ours = [part for part in tensors if part.name in names]
    rest_bytes = archive_bytes - sum(part.stored_bytes for part in tensors)
    share = sum(part.raw_bytes for part in ours) / sum(part.raw_bytes for part in tensors)
    return sum(part.stored_bytes for part in ours) + rest_bytes * share


def _measure_case(case: Case, rivals: Sequence[Rival], work: Path) -> RatioRow:
    ratios = {
        rival.name: sum(map(len, prove_round_trip(rival, case))) / len(case.raw)
        for rival in rivals
        if rival.accepts(case)
    }
    for name, level in OUR_LEVELS.items():
        ratios[name] = _count_case_bytes(case, level, work) / len(case.raw)
    entropies = compute_entropies(case)
    computed = {}
    if entropies is not None:
        computed = {ORDER_0: entropies.order0, GIVEN_EXPONENT: entropies.given_exponent}
    targets = find_target(case.facts), find_max_target(case.facts)
    return RatioRow(case.facts, len(case.raw), ratios, computed, *targets)


def _count_case_bytes(case: Case, level: Level, work: Path) -> float:
    archive = work / "archive"
    base = case.predecessor_shard
    report = compress_file(case.shard, archive, base=base, level=level, verify=False, force=True)
    verify_file(case.shard, archive, base=base)
    with open_archive(archive, base=base) as opened:
        parts = split_index(opened.index)
    return share_archive(parts, report.stored_bytes, frozenset(tensor.name for tensor in case.tensors))


def _count_checkpoint_bytes(whole: WholeCheckpoint, level: Level, work: Path) -> int:
    """Compress a checkpoint as the daemon does: the largest file first, later ones may lean on it."""
    archive = work / "archive"
    stored_bytes = 0
    with BesideFiles() as beside:
        for path in sorted(whole.files, key=lambda path: rank_file(path.stat().st_size, path)):
            base = None if whole.predecessor is None else whole.predecessor / path.name
            report = compress_file(
                path, archive, base=base, beside=beside.files, level=level, verify=False, force=True
            )
            verify_file(path, archive, base=base, beside=beside.files)
            stored_bytes += report.stored_bytes
            beside.offer(path, report.file_digest, leans=bool(report.beside_digests))
    return stored_bytes
