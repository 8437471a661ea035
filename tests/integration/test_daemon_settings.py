"""Every setting that changes what is stored or restored does so (the others are tested beside what they steer)."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from support.running import running, wait_until
from support.settings import make_settings
from support.trainer import TrainerSimulator
from weightzip.daemon.components import Components
from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.store import Repository, open_store
from weightzip.errors import CorruptData


def store_steps(base: Path, *steps: int, **sections: Any) -> Repository:
    """Save steps one after another beside a running daemon; return the repository."""
    trainer = TrainerSimulator(base / "ckpt", n_elements=2000)
    with running(make_settings(base, **sections)) as parts:
        for step in steps:
            trainer.save(step)
            wait_committed(parts, step)
    return Repository.open(open_store(str(base / "store")))


def wait_committed(parts: Components, step: int) -> None:
    wait_until(lambda: step in [key.step for key in parts.ledger.checkpoints()] and parts.is_settled())


def sample(parts: Components, name: str, **labels: str) -> float | None:
    return parts.metrics.registry.get_sample_value(f"weightzip_{name}", {"source": "main", **labels})


@pytest.mark.parametrize(
    ("encode", "depths"),
    [
        ({"predecessor": "previous", "max_chain_depth": 2}, [0, 1, 2, 0]),
        ({"predecessor": "keyframe", "max_chain_depth": 2}, [0, 1, 1, 0]),
        ({"predecessor": "none"}, [0, 0, 0, 0]),
        ({"max_chain_depth": 0}, [0, 0, 0, 0]),
    ],
)
def test_encode_predecessor_and_max_chain_depth(
    tmp_path: Path, encode: dict[str, Any], depths: list[int]
) -> None:
    steps = (1, 2, 3, 4)
    repository = store_steps(tmp_path, *steps, encode=encode)
    assert [repository.load(step).chain_depth for step in steps] == depths


@pytest.mark.parametrize("verify", [True, False])
def test_encode_verify_and_n_threads_reach_the_encoder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verify: bool
) -> None:
    seen: dict[str, Any] = {}

    def watch(*arguments: Any, **options: Any) -> Any:
        seen.update(options)
        return encode_checkpoint(*arguments, **options)

    monkeypatch.setattr("weightzip.daemon.jobs.commit.encode_checkpoint", watch)
    store_steps(tmp_path, 1, encode={"verify": verify, "n_threads": 2})
    assert (seen["verify"], seen["n_threads"]) == (verify, 2)


def test_limits_uploads_reaches_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    true_publish = Repository.publish

    def watch(self: Repository, *arguments: Any, n_uploads: int, **options: Any) -> Any:
        seen.append(n_uploads)
        return true_publish(self, *arguments, n_uploads=n_uploads, **options)

    monkeypatch.setattr(Repository, "publish", watch)
    store_steps(tmp_path, 1, limits={"uploads": 7})
    assert seen == [7]


def test_source_ignore_keeps_files_out(tmp_path: Path) -> None:
    trainer = TrainerSimulator(tmp_path / "ckpt", n_elements=100)
    (trainer.save(1) / "notes.log").write_text("private")
    with running(make_settings(tmp_path, source={"ignore": ["*.log"]})) as parts:
        wait_committed(parts, 1)
        manifest = parts.ledger.last()
    assert manifest is not None
    assert manifest.find_file("config.json") is not None
    assert manifest.find_file("notes.log") is None


def test_source_layout_generic_takes_any_directory(tmp_path: Path) -> None:
    folder = tmp_path / "ckpt" / "whatever-7"
    folder.mkdir(parents=True)
    (folder / "weights.custom").write_bytes(b"1" * 1000)
    with running(make_settings(tmp_path, source={"layout": "hf"})) as parts:
        assert parts.intake.look.findings == ()
    with running(make_settings(tmp_path, source={"layout": "generic"})) as parts:
        wait_committed(parts, 7)


def test_source_name_labels_the_metrics(tmp_path: Path) -> None:
    with running(make_settings(tmp_path, source={"name": "left"})) as parts:
        assert b'weightzip_rescans_total{source="left"}' in parts.metrics.render()


def test_state_max_pinned_bounds_the_spool(tmp_path: Path) -> None:
    trainer = TrainerSimulator(tmp_path / "ckpt", n_elements=100)
    for step in (1, 2, 3, 4):
        trainer.save(step)
    # The pipeline is not started, so everything waits.
    settings = make_settings(tmp_path, state={"max_pinned": 2})
    from weightzip.daemon.components import build_components
    from weightzip.daemon.places import choose_places

    parts = build_components(settings, choose_places(settings))
    parts.watch_loop.start()
    wait_until(lambda: [pin.step for pin in parts.queue.list_pins()] == [3, 4])
    assert len(list(parts.places.spool.iterdir())) == 2
    assert parts.stop_threads(10)


def test_cache_prefetch_may_be_turned_off(tmp_path: Path) -> None:
    store_steps(tmp_path, 1)
    shutil.rmtree(tmp_path / "state" / "cache")  # as on another node
    with running(make_settings(tmp_path, cache={"prefetch": False})) as parts:
        assert not parts.prefetcher.is_busy
        assert parts.cache.used_bytes == 0
    with running(make_settings(tmp_path)) as parts:
        wait_until(lambda: parts.cache.used_bytes > 0)


def test_cache_limit_bounds_the_cache(tmp_path: Path) -> None:
    store_steps(tmp_path, 1, encode={"predecessor": "none"})
    with running(make_settings(tmp_path, cache={"limit": "1KiB"})) as parts:
        wait_until(lambda: not parts.prefetcher.is_busy)
        assert parts.cache.used_bytes <= 1024


def test_restore_max_fallback_and_target(tmp_path: Path) -> None:
    store_steps(tmp_path, 1, 2, encode={"predecessor": "none"})
    repository = Repository.open(open_store(str(tmp_path / "store")))
    doomed = repository.load(2).object_digests - repository.load(1).object_digests
    for digest in doomed:
        archive = tmp_path / "store" / "objects" / digest[:2] / f"{digest}.wzst"
        archive.write_bytes(bytes(archive.stat().st_size))
    target = tmp_path / "target"
    for max_fallback in (0, 1):
        restore = {"max_fallback": max_fallback, "target": target}
        sections: dict[str, Any] = {"restore": restore, "state": {"dir": tmp_path / f"fresh-{max_fallback}"}}
        with running(make_settings(tmp_path, cache={"prefetch": False}, **sections)) as parts:
            job = parts.restores.submit("latest", None)
            wait_until(lambda job=job: job.state in {"READY", "FAILED"})  # type: ignore[misc]
            if max_fallback == 0:
                assert isinstance(job.error, CorruptData)
                assert sample(parts, "restores_total", result="failed") == 1
            else:
                assert job.report is not None
                assert job.report.path == target / "checkpoint-1"
                assert sample(parts, "restores_total", result="fell_back") == 1
                assert sample(parts, "restore_fallbacks_total") == 1


def test_the_metrics_of_a_committed_checkpoint(tmp_path: Path) -> None:
    trainer = TrainerSimulator(tmp_path / "ckpt", n_elements=2000)
    with running(make_settings(tmp_path)) as parts:
        raw_bytes = sum(path.stat().st_size for path in trainer.save(5).iterdir())
        wait_committed(parts, 5)
        wait_until(lambda: sample(parts, "backlog_checkpoints") == 0 and sample(parts, "up_to_date") == 1)
        assert sample(parts, "checkpoints_total", result="committed") == 1
        assert sample(parts, "input_bytes_total") == raw_bytes
        assert 0 < (sample(parts, "encoded_bytes_total") or 0) < raw_bytes
        assert sample(parts, "checkpoint_last_durable_step") == 5
        assert sample(parts, "checkpoint_last_seen_step") == 5
        assert sample(parts, "retained_checkpoints") == 1
        assert sample(parts, "fencing_supported") == 1
        assert sample(parts, "store_reachable") == 1
        for stage in ("pin", "encode", "publish", "prune"):
            assert sample(parts, "checkpoint_stage_duration_seconds_count", stage=stage) == 1
