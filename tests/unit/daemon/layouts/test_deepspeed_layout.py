"""DeepSpeed's `latest` proves nothing: every rank's file must be there."""

import pytest

from support.sightings import explain, see_directory, see_saving
from weightzip.daemon.layouts import Evidence, Peers
from weightzip.daemon.layouts.deepspeed import DeepSpeedLayout
from weightzip.daemon.layouts.names import count_shapes

DEEPSPEED = DeepSpeedLayout()
NAMES: frozenset[str] = frozenset({"latest"})
ZERO2 = (
    "mp_rank_00_model_states.pt",
    "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt",
    "bf16_zero_pp_rank_1_mp_rank_00_optim_states.pt",
)
ZERO3 = tuple(
    f"zero_pp_rank_{rank}_mp_rank_00_{kind}_states.pt" for kind in ("model", "optim") for rank in range(3)
)
PARALLEL = (
    "mp_rank_00_model_states.pt",
    "mp_rank_01_model_states.pt",
    *(f"zero_pp_rank_{data}_mp_rank_{model:02d}_optim_states.pt" for data in range(2) for model in range(2)),
)
EXPERTS = (
    "mp_rank_00_model_states.pt",
    *(
        f"layer_{layer}_expert_{expert}_mp_rank_00_model_states.pt"
        for layer in range(2)
        for expert in range(4)
    ),
    *(f"expp_rank_{rank}_mp_rank_00_optim_states.pt" for rank in range(2)),
)
UNIVERSAL = (
    "mp_rank_00_model_states.pt",
    *(f"zero/{name}/{slot}.pt" for name in ("a.weight", "b") for slot in ("exp_avg", "exp_avg_sq", "fp32")),
)


def test_tags_of_any_name_are_claimed_by_their_files() -> None:
    for name in ("global_step10", "best", "pytorch_model"):
        assert DEEPSPEED.claims(see_directory(name, *ZERO2), NAMES)
    assert not DEEPSPEED.claims(see_directory("global_step10", "model.pt"), NAMES)
    assert not DEEPSPEED.claims(see_directory("out", "global_step10/mp_rank_00_model_states.pt"), NAMES)
    assert DEEPSPEED.find_step(see_directory("global_step10", *ZERO2)) == 10


@pytest.mark.parametrize("save", [ZERO2, ZERO3, PARALLEL, EXPERTS, UNIVERSAL])
def test_the_predecessor_misses_any_file(save: tuple[str, ...]) -> None:
    peers = Peers(count_shapes(save), trackers={"latest": "global_step10"})
    for left_out in save:
        partial = see_directory("global_step10", *(name for name in save if name != left_out))
        assert explain(DEEPSPEED, partial, peers=peers) is not None, left_out
    assert explain(DEEPSPEED, see_saving("global_step10", save), peers=peers, patient=False) is None


@pytest.mark.parametrize(
    ("save", "left_out"),
    [
        (ZERO2, "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt"),
        (ZERO2, "mp_rank_00_model_states.pt"),
        (ZERO3, "zero_pp_rank_2_mp_rank_00_model_states.pt"),
        (ZERO3, "zero_pp_rank_2_mp_rank_00_optim_states.pt"),
        (ZERO3, "zero_pp_rank_1_mp_rank_00_optim_states.pt"),
        (PARALLEL, "zero_pp_rank_1_mp_rank_01_optim_states.pt"),
        (PARALLEL, "mp_rank_01_model_states.pt"),
        (EXPERTS, "layer_1_expert_1_mp_rank_00_model_states.pt"),
        (UNIVERSAL, "zero/a.weight/fp32.pt"),
    ],
)
def test_names_alone_tell_what_is_missing(save: tuple[str, ...], left_out: str) -> None:
    partial = see_directory("global_step10", *(name for name in save if name != left_out))
    assert explain(DEEPSPEED, partial) == f"{left_out} is missing"


def test_a_rank_that_no_name_tells_of_is_told_by_the_files() -> None:
    sighting = see_directory("global_step10", *ZERO2)
    evidence = Evidence(n_ranks={"": {"partition_count": 4, "mp_world_size": 1}})
    assert explain(DEEPSPEED, sighting, evidence=evidence) == (
        "bf16_zero_pp_rank_2_mp_rank_00_optim_states.pt is missing"
    )
    evidence = Evidence(n_ranks={"": {"mp_world_size": 2}})
    assert explain(DEEPSPEED, see_directory("x", ZERO2[0]), evidence=evidence) == (
        "mp_rank_01_model_states.pt is missing"
    )


def test_the_first_checkpoint_waits_although_latest_names_it() -> None:
    peers = Peers(trackers={"latest": "global_step10"})
    sighting = see_directory("global_step10", *ZERO2)
    assert explain(DEEPSPEED, sighting, peers=peers, patient=False) is not None
    assert explain(DEEPSPEED, sighting, peers=peers, patient=True) is None


def test_placeholders_of_nebula_are_refused() -> None:
    reason = explain(DEEPSPEED, see_directory("global_step10", *ZERO2, size_bytes=1261))
    assert reason is not None
    assert "Nebula" in reason


def test_hostile_rank_numbers_cost_nothing() -> None:
    far = "zero_pp_rank_999999_mp_rank_999999_optim_states.pt"
    assert explain(DEEPSPEED, see_directory("t", far)) == (
        "zero_pp_rank_0_mp_rank_00_optim_states.pt is missing"
    )


@pytest.mark.parametrize("n_ranks", [10**9, 2**63 - 1])
def test_hostile_counts_of_ranks_cost_nothing(n_ranks: int) -> None:
    evidence = Evidence(n_ranks={"": {"partition_count": n_ranks, "mp_world_size": n_ranks}})
    assert explain(DEEPSPEED, see_directory("global_step10", *ZERO2), evidence=evidence) == (
        "bf16_zero_pp_rank_0_mp_rank_01_optim_states.pt is missing"
    )
