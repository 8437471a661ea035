"""The summary accounts for every byte of the frames."""

import pytest

from shards.archives import MemoryPredecessor, build_archive
from shards.build import build_step
from weightzip.codec.reader import Archive
from weightzip.codec.source import MemorySource
from weightzip.codec.summary import summarize_tensors


@pytest.mark.parametrize("predecessor", [None, MemoryPredecessor(build_step(1))])
def test_all_bytes_are_accounted_for(predecessor: MemoryPredecessor | None) -> None:
    shard = build_step(2)
    archive = Archive(MemorySource(build_archive(shard, predecessor)))
    summaries = list(summarize_tensors(archive.index))
    assert sum(summary.raw_bytes for summary in summaries) == len(shard)
    stored_bytes = int(archive.index.frames.frame_bytes.sum())
    assert abs(sum(summary.stored_bytes for summary in summaries) - stored_bytes) <= len(summaries)


def test_recipes_are_told_in_words() -> None:
    archive = Archive(MemorySource(build_archive(build_step(2), MemoryPredecessor(build_step(1)))))
    recipes = {summary.name: summary.recipe for summary in summarize_tensors(archive.index)}
    assert recipes["model.weight"] == "float difference, in context"
    assert recipes["mask"] == "identical"
