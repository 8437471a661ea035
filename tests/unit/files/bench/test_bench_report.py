"""The figures that follow from a report, and its JSON document."""

import json

from support.bench_reports import make_file, make_report
from weightzip.files.bench import Timing, report_to_document
from weightzip.files.bench.kinds import ARCHIVE
from weightzip.files.bench.report import N_LARGEST


def test_files_add_up() -> None:
    report = make_report(
        make_file("a", raw_bytes=3_000_000, stored_bytes=1_000_000), make_file("b", raw_bytes=1_000_000)
    )
    assert (report.raw_bytes, report.stored_bytes) == (4_000_000, 4_000_000)
    assert report.encode.gb_per_second == 2.0
    assert report.decode.gb_per_second == 4.0
    assert [result.n_tensors for result in report.kinds] == [2, 0, 0]
    assert report.kinds[-1].kind == ARCHIVE
    assert sum(result.raw_bytes for result in report.kinds) == report.raw_bytes
    assert sum(result.stored_bytes for result in report.kinds) == report.stored_bytes


def test_the_largest_tensors_of_all_files_come_first() -> None:
    report = make_report(*(make_file(raw_bytes=1000 * n, stored_bytes=900) for n in range(1, N_LARGEST + 9)))
    sizes = [tensor.raw_bytes for tensor in report.largest]
    assert sizes == sorted(sizes, reverse=True)
    assert (len(sizes), sizes[0]) == (N_LARGEST, 1000 * (N_LARGEST + 8) - 100)


def test_nothing_has_no_speed_and_no_ratio() -> None:
    assert Timing(0, 0.5, 1, 0).gb_per_second is None
    document = report_to_document(make_report(make_file(raw_bytes=0, stored_bytes=125)))
    assert (document["ratio"], document["saved_bytes"]) == (None, -125)
    assert document["encode"]["gb_per_second"] is None


def test_what_one_file_does_not_tell_is_unknown_for_all() -> None:
    assert make_report(make_file(disk_bytes=3), make_file(disk_bytes=4)).encode.disk_bytes == 7
    assert make_report(make_file(disk_bytes=3), make_file(disk_bytes=None)).encode.disk_bytes is None


def test_the_document_is_json_with_a_version() -> None:
    report = make_report(make_file(base="old/model.safetensors", leans=True, tensor_name='"\ud800'))
    document = json.loads(json.dumps(report_to_document(report)))
    assert document["report_version"] == 1
    assert document["measured_at"] == "2026-01-02T03:04:05+00:00"
    assert document["machine"]["weightzip"] == "1.2.3"
    assert (document["ratio"], document["saved_bytes"], document["identical"]) == (0.75, 1_000_000, True)
    (file,) = document["files"]
    assert (file["path"], file["base"]) == ("run/model.safetensors", "old/model.safetensors")
    assert file["kinds"] == document["kinds"]
    assert file["kinds"][0] == {
        "role": "weights",
        "dtype": "BF16",
        "n_tensors": 1,
        "raw_bytes": 3_999_900,
        "stored_bytes": 2_999_910,
        "saved_bytes": 999_990,
        "ratio": 0.749996,
    }
    assert document["largest_tensors"][0]["name"] == '"\ud800'
