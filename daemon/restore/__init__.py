"""From a store back to a disk: fetch into a bounded cache, decode, prove, publish, fall back."""

from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.prefetch import prefetch_checkpoint
from weightzip.daemon.restore.reports import FailedCandidate, PrefetchReport, RestoreReport
from weightzip.daemon.restore.restore import DEFAULT_MAX_FALLBACK, restore_checkpoint
from weightzip.daemon.restore.verify import Finding, VerifyStoreReport, verify_repository

__all__ = [
    "DEFAULT_MAX_FALLBACK",
    "FailedCandidate",
    "Finding",
    "ObjectCache",
    "PrefetchReport",
    "RestoreReport",
    "VerifyStoreReport",
    "prefetch_checkpoint",
    "restore_checkpoint",
    "verify_repository",
]
