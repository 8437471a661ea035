"""The daemon described as plain values, for `/v1/status`, `/v1/checkpoints` and `weightzip status`."""

import time
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Any

from weightzip.config.show import mask_url
from weightzip.daemon.components import Components
from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.watch.candidate import Stage
from weightzip.daemon.watch.watcher import Finding


def describe_daemon(parts: Components) -> dict[str, Any]:
    """Return what the daemon does, has and waits for."""
    pipeline, progress = parts.pipeline.status, parts.pipeline.progress
    findings = parts.intake.look.findings
    keys = parts.ledger.checkpoints()
    return {
        "version": version("weightzip"),
        "uptime_seconds": round(time.time() - parts.started_at, 1),
        "started": parts.started.is_set(),
        "draining": parts.draining.is_set(),
        "up_to_date": parts.is_up_to_date(),
        "source": {
            "name": parts.settings.source.name,
            "path": str(parts.places.source),
            "file_system": parts.file_system,
            "layout": parts.settings.source.layout,
            "problem": parts.watch_loop.problem,
        },
        "store": _describe_store(parts),
        "pipeline": {
            "state": pipeline.state,
            "name": pipeline.name,
            "step": pipeline.step,
            "detail": pipeline.detail,
            "progress": vars(progress) if progress is not None else None,
        },
        "newest_step": {
            "complete": next((f.step for f in reversed(findings) if f.judgement.stage >= Stage.MARKED), None),
            "committed": keys[-1].step if keys else None,
        },
        "waiting": [{"name": p.name, "step": p.step, "bytes": p.size_bytes} for p in parts.pipeline.pins],
        "candidates": [_describe_finding(finding) for finding in findings],
        "given_up": [vars(given_up) for given_up in parts.outcomes.given_up()],
        "retention": {"prunable_steps": list(parts.pruner.prunable_steps)},
        "cache": {"bytes": parts.cache.used_bytes, "limit_bytes": parts.settings.cache.limit},
    }


def describe_checkpoints(parts: Components) -> list[dict[str, Any]]:
    """Return the committed checkpoints, newest first; one whose manifest cannot be read is left out (and logged)."""
    manifests = (parts.ledger.load(key) for key in reversed(parts.ledger.checkpoints()))
    return [_describe_manifest(manifest) for manifest in manifests if manifest is not None]


def _describe_store(parts: Components) -> dict[str, Any]:
    repository = parts.gateway.repository
    fencing = repository.fencing if repository is not None else None
    return {
        "url": mask_url(parts.settings.store.url),
        "run_id": repository.run_id if repository is not None else None,
        "checkpoints": len(parts.ledger.checkpoints()),
        "problem": parts.gateway.problem,
        "fenced": fencing.fenced if fencing is not None else None,
        "fencing": fencing.reason if fencing is not None else None,
    }


def _describe_finding(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.sighting.name,
        "step": finding.step,
        "layout": finding.layout,
        "bytes": finding.sighting.size_bytes,
        "stage": finding.judgement.stage.name,
        "reason": finding.judgement.reason,
    }


def _describe_manifest(manifest: Manifest) -> dict[str, Any]:
    return {
        "step": manifest.step,
        "name": manifest.name,
        "identity": manifest.identity,
        "saved_at": datetime.fromtimestamp(manifest.saved_at_seconds, timezone.utc).isoformat(),
        "created_at": manifest.created_at.isoformat(),
        "raw_bytes": manifest.raw_bytes,
        "stored_bytes": manifest.stored_bytes,
        "chain_depth": manifest.chain_depth,
        "files": [
            {"path": entry.path, "size_bytes": entry.size_bytes, "digest": entry.digest}
            for entry in manifest.files
        ],
    }
