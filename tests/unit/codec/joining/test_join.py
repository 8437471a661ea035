"""What a shard leans on: in its predecessor, in files beside it, in itself; and that it costs nothing where it should."""

from collections import Counter

import numpy as np
import pytest

from shards.archives import MemoryPredecessor, build_archive
from shards.build import Tensor, build_safetensors
from weightzip.codec.containers import read_layout
from weightzip.codec.cutting.segments import FrameSpan
from weightzip.codec.decoder import decode_shard
from weightzip.codec.derivation import Derivation, derive
from weightzip.codec.format.data_frame import OWN, Method, Piece
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.format.limits import MAX_REFERENCES
from weightzip.codec.joining.join import Join, join_shard
from weightzip.codec.reader import Archive
from weightzip.codec.source import BytesLike, MemorySource

LARGE = 20_000
RNG = np.random.default_rng(6)
SCALE = np.exp(2 * RNG.standard_normal(LARGE)).astype(np.float32)
WEIGHTS = RNG.standard_normal(LARGE).astype(np.float32)


def _fp32(name: str, values: np.ndarray) -> Tensor:
    return Tensor(name, "F32", values.shape, values.astype(np.float32).tobytes())


def _bf16(name: str, values: np.ndarray) -> Tensor:
    data = derive(values.astype(np.float32).tobytes(), Derivation.BF16_NEAREST_EVEN)
    return Tensor(name, "BF16", values.shape, bytes(data))


def _moments(name: str, size: int = LARGE) -> list[Tensor]:
    scale = SCALE[:size]
    return [_fp32(f"exp_avg.{name}", WEIGHTS[:size] * scale), _fp32(f"exp_avg_sq.{name}", scale * scale)]


def _join(
    tensors: list[Tensor], predecessor: MemoryPredecessor | None = None, *beside: MemoryPredecessor
) -> Join:
    source = MemorySource(build_safetensors(tensors))
    return join_shard(source, read_layout(source), predecessor, beside)


def _find_span(join: Join, name: str) -> FrameSpan:
    tensor = _find_tensor(join, name)
    return next(span for span in join.spans if span.offset <= tensor.offset < span.offset + span.n_bytes)


def _find_tensor(join: Join, name: str) -> TensorRange:
    return next(tensor for tensor in join.layout.tensors if tensor.name == name)


def _restore(archive: bytes, *beside: MemoryPredecessor) -> bytes:
    return b"".join(decode_shard(Archive(MemorySource(archive), beside=beside)))


def _list_methods(archive: bytes) -> dict[str, Method]:
    index = Archive(MemorySource(archive)).index
    numbers = {tensor.name: index.frames.find(tensor.offset, 1)[0] for tensor in index.layout.tensors}
    return {name: index.frames.row(number).facts.method for name, number in numbers.items()}


def _list_pieces(span: FrameSpan) -> tuple[Piece, ...]:
    return (*span.predecessor, *span.companion, *span.copy)


def _list_leaning(archive: bytes) -> set[str]:
    """Return the tensors whose first frame leans on the shard itself."""
    index = Archive(MemorySource(archive)).index
    return {
        tensor.name
        for tensor in index.layout.tensors
        if index.frames.leans_on_itself[index.frames.find(tensor.offset, 1)[0]]
    }


def test_a_shard_alone_names_nothing() -> None:
    join = _join([_fp32("w", WEIGHTS), _bf16("v", SCALE)])
    assert join.header.references == ()
    assert not join.header.leans_on_itself


def test_first_moments_lean_on_second_ones_of_the_shard() -> None:
    join = _join(_moments("w"))
    (piece,) = _find_span(join, "exp_avg.w").companion
    second = _find_tensor(join, "exp_avg_sq.w")
    assert (piece.offset, piece.n_bytes, piece.reference) == (second.offset, second.n_bytes, OWN)
    assert join.header.leans_on_itself
    assert _find_span(join, "exp_avg_sq.w").sections
    shard = build_safetensors(_moments("w"))
    archive = build_archive(shard)
    assert _list_leaning(archive) == {"exp_avg.w"}
    assert _restore(archive) == shard


def test_small_moments_lean_only_where_that_sets_nothing_apart() -> None:
    small = [_moments(name, 50) for name in "abc"]
    alternating = [tensor for pair in small for tensor in pair]
    grouped = [pair[0] for pair in small] + [pair[1] for pair in small]
    assert len(_join(alternating).spans) == 2  # glue, and all of them
    spans = _join(grouped).spans
    assert [span.companion != () for span in spans] == [False, True, False]


def test_tied_tensors_are_stored_once() -> None:
    tensors = [_fp32("embedding", WEIGHTS), _fp32("middle", SCALE), _fp32("head", WEIGHTS)]
    shard = build_safetensors(tensors)
    archive = build_archive(shard)
    assert _list_methods(archive)["head"] == Method.IDENTICAL
    assert len(archive) < len(build_archive(build_safetensors(tensors[:2]))) + 400
    assert _restore(archive) == shard


def test_tensors_that_are_alike_at_both_ends_alone_are_told_apart() -> None:
    other = WEIGHTS.copy()
    other[LARGE // 2] = 1
    shard = build_safetensors([_fp32("a", WEIGHTS), _fp32("b", other)])
    archive = build_archive(shard)
    assert _list_methods(archive)["b"] == Method.BLOCKS
    assert _restore(archive) == shard


def test_zeros_are_constant_and_lean_on_nothing() -> None:
    join = _join([_fp32("a", np.zeros(LARGE)), _fp32("b", np.zeros(LARGE))])
    assert not join.header.leans_on_itself


def test_copies_of_master_weights_cost_nothing() -> None:
    names = ("b.0.weight", "b.0.bias", "b.1.weight")
    values = {"b.0.weight": WEIGHTS.reshape(200, 100), "b.0.bias": SCALE[:100], "b.1.weight": SCALE}
    optimizer = MemoryPredecessor(
        build_safetensors([_fp32(f"fp32_param.{name}", values[name]) for name in reversed(names)])
    )
    shard = build_safetensors([_bf16(f"model.{name}", values[name]) for name in names])
    archive = build_archive(shard, beside=[optimizer])
    assert set(_list_methods(archive).values()) == {Method.DERIVED}
    assert len(archive) < 1200
    assert _restore(archive, optimizer) == shard


def test_the_master_may_lie_in_the_shard_itself() -> None:
    shard = build_safetensors([_bf16("w", WEIGHTS), _fp32("master.w", WEIGHTS)])
    archive = build_archive(shard)
    assert _list_methods(archive) == {"w": Method.DERIVED, "master.w": Method.BLOCKS}
    assert _restore(archive) == shard


def test_equal_tensors_beside_cost_nothing() -> None:
    optimizer = MemoryPredecessor(build_safetensors([_fp32("x", SCALE), _fp32("fp32_param.w", WEIGHTS)]))
    earlier = MemoryPredecessor(build_safetensors([_fp32("w", WEIGHTS * 1.01)]))
    shard = build_safetensors([_fp32("w", WEIGHTS)])
    archive = build_archive(shard, earlier, beside=[optimizer])
    assert _list_methods(archive) == {"w": Method.IDENTICAL}
    assert _restore(archive, optimizer, earlier) == shard


def test_the_predecessor_serves_where_a_copy_turns_out_to_be_none() -> None:
    other = WEIGHTS.copy()
    other[LARGE // 2] = 1
    beside = MemoryPredecessor(build_safetensors([_fp32("w", other)]))
    earlier = MemoryPredecessor(build_safetensors([_fp32("w", WEIGHTS * 1.001)]))
    shard = build_safetensors([_fp32("w", WEIGHTS)])
    with_both = build_archive(shard, earlier, beside=[beside])
    assert len(with_both) < len(build_archive(shard, earlier)) + 60
    assert _restore(with_both, earlier) == shard


def test_first_moments_lean_on_second_ones_in_a_file_beside() -> None:
    first, second = _moments("w")
    beside = MemoryPredecessor(build_safetensors([second]))
    shard = build_safetensors([first])
    archive = build_archive(shard, beside=[beside])
    assert len(archive) < 0.99 * len(build_archive(shard))
    assert _restore(archive, beside) == shard


def test_second_moments_of_the_shard_itself_are_preferred() -> None:
    beside = MemoryPredecessor(build_safetensors([_fp32("exp_avg_sq.w", 2 * SCALE)]))
    assert _join(_moments("w"), None, beside).header.references == ()


def test_averages_lean_on_the_weights_of_their_step_if_those_are_nearer_than_their_predecessors() -> None:
    average = WEIGHTS * (1 + 1e-3 * SCALE)
    shard = build_safetensors([_fp32("model.w", WEIGHTS), _fp32("ema_model.w", average)])
    archive = build_archive(shard)
    assert _list_leaning(archive) == {"ema_model.w"}
    assert len(archive) < 0.9 * len(
        build_archive(build_safetensors([_fp32("a", WEIGHTS), _fp32("b", average)]))
    )
    assert _restore(archive) == shard
    near, far = (
        MemoryPredecessor(build_safetensors([_fp32("ema_model.w", average * factor)]))
        for factor in (1 + 1e-5, 2)
    )
    assert _list_leaning(build_archive(shard, near)) == set()
    assert _list_leaning(build_archive(shard, far)) == {"ema_model.w"}
    assert _restore(build_archive(shard, near), near) == shard


def test_what_is_only_called_an_average_leans_on_nothing() -> None:
    assert not _join([_fp32("model.w", WEIGHTS), _fp32("ema.w", SCALE)]).header.leans_on_itself


def test_a_few_bytes_are_not_worth_a_file() -> None:
    beside = MemoryPredecessor(build_safetensors([_fp32("step", SCALE[:100])]))
    join = _join([_fp32("w", WEIGHTS), _fp32("step", SCALE[:100])], None, beside)
    assert join.header.references == ()


def test_only_files_that_help_are_named() -> None:
    useful = MemoryPredecessor(build_safetensors([_fp32("w", WEIGHTS)]))
    same = MemoryPredecessor(build_safetensors([_fp32("w", WEIGHTS)]))
    useless = MemoryPredecessor(build_safetensors([_fp32("w", SCALE)]))
    join = _join([_bf16("w", WEIGHTS)], None, useless, useful, same)
    assert [reference.digest for reference in join.header.references] == [useful.digest]
    assert join.files[0] is useful


def test_of_too_many_files_the_most_useful_are_named() -> None:
    n_files = MAX_REFERENCES + 5
    tensors = [_bf16(f"w{number}", WEIGHTS[: 100 * (number + 1)]) for number in range(n_files)]
    files = [
        MemoryPredecessor(build_safetensors([_fp32(f"w{number}", WEIGHTS[: 100 * (number + 1)])]))
        for number in range(n_files)
    ]
    join = _join(tensors, None, *files)
    assert [reference.digest for reference in join.header.references] == [file.digest for file in files[5:]]
    shard = build_safetensors(tensors)
    assert _restore(build_archive(shard, beside=files), *files) == shard


@pytest.mark.parametrize("is_reversed", [False, True])
def test_what_is_leaned_on_leans_on_nothing_of_the_shard(is_reversed: bool) -> None:
    """A first moment that is stored twice, and a second one that is a first one by another part of its name."""
    names = ("exp_avg.m.w", "exp_avg_sq.m.w", "exp_avg_sq.v.w")
    tensors = [*_moments("a"), _fp32("again.exp_avg.a", WEIGHTS * SCALE)]
    tensors += [_fp32(name, SCALE ** (number + 1)) for number, name in enumerate(names)]
    if is_reversed:
        tensors.reverse()
    join = _join(tensors)
    pieces = {span: [piece for piece in _list_pieces(span) if piece.reference == OWN] for span in join.spans}
    leaning = [span for span in join.spans if pieces[span]]
    assert len(leaning) > 1
    for piece in (piece for span in leaning for piece in pieces[span]):
        assert all(
            piece.offset + piece.n_bytes <= span.offset or piece.offset >= span.offset + span.n_bytes
            for span in leaning
        )
    shard = build_safetensors(tensors)
    assert _restore(build_archive(shard)) == shard


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("is_sorted", [True, False])
def test_a_walk_decodes_no_frame_more_than_twice(
    n_threads: int, is_sorted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [_moments(f"{number}", LARGE - 100 * (number % 3)) for number in range(6)]
    tensors = [tensor for pair in pairs for tensor in pair]
    if is_sorted:
        tensors.sort(key=lambda tensor: tensor.name)
    shard = build_safetensors(tensors)
    decoded: Counter[int] = Counter()
    decode = Archive.decode_stored_frame

    def count(self: Archive, number: int, stored: BytesLike) -> BytesLike:
        decoded[number] += 1
        return decode(self, number, stored)

    monkeypatch.setattr(Archive, "decode_stored_frame", count)
    archive = Archive(MemorySource(build_archive(shard)))
    assert b"".join(decode_shard(archive, n_threads=n_threads)) == shard
    assert max(decoded.values()) == 2
    assert decoded.total() == len(archive.index.frames) + 6
