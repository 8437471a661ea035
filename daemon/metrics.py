"""All metrics of the daemon in one table: name, kind, help, labels. Nothing else in the project declares one."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Generic, Literal, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

PREFIX = "weightzip_"
STAGES = ("pin", "encode", "publish", "prune")
RESULTS = ("committed", "superseded", "quarantined")
INCOMPLETE_REASONS = ("changed_while_reading", "vanished")
RESTORE_RESULTS = ("ok", "fell_back", "failed", "not_found")
OPERATIONS = (
    "put_file",
    "put_bytes",
    "create_bytes",
    "read_bytes",
    "read_range",
    "size_bytes",
    "list_objects",
    "delete",
)
_STAGE_BUCKETS = (0.05, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
_OPERATION_BUCKETS = (0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300)

Kind = Literal["counter", "gauge", "histogram"]


@dataclass(frozen=True)
class MetricRow:
    """One metric. `values` lists the known values of the single label, so that every series exists from the start."""

    name: str
    kind: Kind
    help: str
    label: str | None = None
    values: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


TABLE = (
    MetricRow(
        "up_to_date",
        "gauge",
        "1 if the newest complete checkpoint on disk is known to be committed and no other waits, else 0.",
    ),
    MetricRow(
        "checkpoint_last_seen_timestamp_seconds",
        "gauge",
        "When the newest complete checkpoint was found on disk.",
    ),
    MetricRow("checkpoint_last_seen_step", "gauge", "Step of the newest complete checkpoint found on disk."),
    MetricRow(
        "checkpoint_last_durable_timestamp_seconds",
        "gauge",
        "When a checkpoint was last committed to the store.",
    ),
    MetricRow("checkpoint_last_durable_step", "gauge", "Step of the newest committed checkpoint."),
    MetricRow("backlog_checkpoints", "gauge", "Complete checkpoints pinned and not yet committed."),
    MetricRow("backlog_bytes", "gauge", "Bytes of the complete checkpoints pinned and not yet committed."),
    MetricRow("work_raw_bytes", "gauge", "Raw bytes of the checkpoint in work, 0 when there is none."),
    MetricRow("work_encoded_bytes", "gauge", "Raw bytes of the checkpoint in work that are encoded."),
    MetricRow("work_archive_bytes", "gauge", "Bytes of the archives made for the checkpoint in work."),
    MetricRow("work_stored_bytes", "gauge", "Bytes of these archives that are in the store."),
    MetricRow(
        "incomplete_checkpoints", "gauge", "Candidates in the watched directory that are not complete."
    ),
    MetricRow("retained_checkpoints", "gauge", "Checkpoints that the store holds."),
    MetricRow(
        "chain_depth", "gauge", "Residual steps from the newest committed checkpoint back to its keyframe."
    ),
    MetricRow("prunable_checkpoints", "gauge", "Checkpoints that the retention rules would remove."),
    MetricRow("checkpoints", "counter", "Complete checkpoints by what became of them.", "result", RESULTS),
    MetricRow(
        "incomplete_attempts",
        "counter",
        "Attempts given up because the source was not stable.",
        "reason",
        INCOMPLETE_REASONS,
    ),
    MetricRow(
        "checkpoint_stage_duration_seconds",
        "histogram",
        "Time of one checkpoint in one stage.",
        "stage",
        STAGES,
        _STAGE_BUCKETS,
    ),
    MetricRow(
        "checkpoint_commit_latency_seconds",
        "histogram",
        "Time from complete on disk to committed.",
        buckets=_STAGE_BUCKETS,
    ),
    MetricRow("input_bytes", "counter", "Raw bytes of committed checkpoints."),
    MetricRow("encoded_bytes", "counter", "Bytes of the archives made for committed checkpoints."),
    MetricRow("uploaded_bytes", "counter", "Bytes of objects sent to the store."),
    MetricRow(
        "store_operations", "counter", "Operations asked of the store, retries included.", "op", OPERATIONS
    ),
    MetricRow("store_operation_errors", "counter", "Operations of the store that failed.", "op", OPERATIONS),
    MetricRow(
        "store_operation_duration_seconds",
        "histogram",
        "Time of one operation of the store.",
        "op",
        OPERATIONS,
        _OPERATION_BUCKETS,
    ),
    MetricRow("store_retries", "counter", "Operations of the store that were tried again.", "op", OPERATIONS),
    MetricRow("store_reachable", "gauge", "1 if the last use of the store succeeded, else 0."),
    MetricRow("fencing_supported", "gauge", "1 if the store refuses the second of two writers, else 0."),
    MetricRow("disk_full", "gauge", "1 while work is paused because a local disk is full, else 0."),
    MetricRow("spool_free_bytes", "gauge", "Free bytes of the file system that holds the spool."),
    MetricRow("draining", "gauge", "1 once a drain or a shutdown was asked for, else 0."),
    MetricRow("watch_events", "counter", "File events that asked for a look."),
    MetricRow("watch_overflows", "counter", "Times the kernel dropped file events."),
    MetricRow("watch_mode", "gauge", "1 for the way the directory is watched.", "mode", ("events", "poll")),
    MetricRow("rescans", "counter", "Full looks due by the rescan interval."),
    MetricRow("last_look_timestamp_seconds", "gauge", "When the watched directory was last read."),
    MetricRow("restores", "counter", "Restores by how they ended.", "result", RESTORE_RESULTS),
    MetricRow("restore_duration_seconds", "histogram", "Time of one restore.", buckets=_STAGE_BUCKETS),
    MetricRow("restored_bytes", "counter", "Raw bytes written by restores."),
    MetricRow("restore_fallbacks", "counter", "Damaged checkpoints that restores passed over."),
    MetricRow("prefetched_bytes", "counter", "Bytes fetched into the cache before anybody asked."),
    MetricRow("cache_bytes", "gauge", "Bytes of store objects in the local cache."),
    MetricRow("pruned_checkpoints", "counter", "Checkpoints removed by retention."),
    MetricRow("pruned_bytes", "counter", "Bytes of objects deleted by retention."),
)


M = TypeVar("M")


class Labelled(Generic[M]):
    """The series of one metric by the value of its label. All exist at once, so that rates work from the start."""

    def __init__(self, series: Mapping[str, M]) -> None:
        self._series = series

    def labels(self, value: str) -> M:
        """Return the series of one of the values that the table lists."""
        return self._series[value]


class Metrics:
    """The metrics of one daemon, in a registry of their own. Attributes carry the names of the table."""

    up_to_date: Gauge
    checkpoint_last_seen_timestamp_seconds: Gauge
    checkpoint_last_seen_step: Gauge
    checkpoint_last_durable_timestamp_seconds: Gauge
    checkpoint_last_durable_step: Gauge
    backlog_checkpoints: Gauge
    backlog_bytes: Gauge
    work_raw_bytes: Gauge
    work_encoded_bytes: Gauge
    work_archive_bytes: Gauge
    work_stored_bytes: Gauge
    incomplete_checkpoints: Gauge
    retained_checkpoints: Gauge
    chain_depth: Gauge
    prunable_checkpoints: Gauge
    checkpoints: Labelled[Counter]
    incomplete_attempts: Labelled[Counter]
    checkpoint_stage_duration_seconds: Labelled[Histogram]
    checkpoint_commit_latency_seconds: Histogram
    input_bytes: Counter
    encoded_bytes: Counter
    uploaded_bytes: Counter
    store_operations: Labelled[Counter]
    store_operation_errors: Labelled[Counter]
    store_operation_duration_seconds: Labelled[Histogram]
    store_retries: Labelled[Counter]
    store_reachable: Gauge
    fencing_supported: Gauge
    disk_full: Gauge
    spool_free_bytes: Gauge
    draining: Gauge
    watch_events: Counter
    watch_overflows: Counter
    watch_mode: Labelled[Gauge]
    rescans: Counter
    last_look_timestamp_seconds: Gauge
    restores: Labelled[Counter]
    restore_duration_seconds: Histogram
    restored_bytes: Counter
    restore_fallbacks: Counter
    prefetched_bytes: Counter
    cache_bytes: Gauge
    pruned_checkpoints: Counter
    pruned_bytes: Counter

    def __init__(self, source: str) -> None:
        self.registry = CollectorRegistry()
        for row in TABLE:
            setattr(self, row.name, self._make(row, source))
        build = Gauge(
            PREFIX + "build_info",
            "Always 1; the version is in the label.",
            ["version"],
            registry=self.registry,
        )
        build.labels(version("weightzip")).set(1)

    def render(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self.registry)

    def _make(self, row: MetricRow, source: str) -> object:
        labels = ["source", *([row.label] if row.label else [])]
        metric: Counter | Gauge | Histogram
        if row.kind == "histogram":
            metric = Histogram(
                PREFIX + row.name, row.help, labels, buckets=row.buckets, registry=self.registry
            )
        elif row.kind == "counter":
            metric = Counter(PREFIX + row.name, row.help, labels, registry=self.registry)
        else:
            metric = Gauge(PREFIX + row.name, row.help, labels, registry=self.registry)
        if row.label is None:
            return metric.labels(source)
        return Labelled({value: metric.labels(source, value) for value in row.values})


def render_metric_table() -> str:
    """Return the table as Markdown, for docs/operations.md."""
    rows = ["| metric | kind | label | meaning |", "|---|---|---|---|"]
    for row in TABLE:
        name = PREFIX + row.name + ("_total" if row.kind == "counter" else "")
        label = f"`{row.label}`: {', '.join(row.values)}" if row.label else ""
        rows.append(f"| `{name}` | {row.kind} | {label} | {row.help} |")
    return "\n".join(rows)
