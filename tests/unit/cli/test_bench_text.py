"""The bench report as rows and lines of text."""

from support.bench_reports import make_file, make_report
from weightzip.cli.bench_text import FILE_COLUMNS, KIND_COLUMNS, list_facts, list_file_rows, list_kind_rows


def test_a_file_is_a_row_and_several_have_a_sum() -> None:
    one = list_file_rows(make_report(make_file()))
    assert one == [
        ("run/model.safetensors", "alone", "4000000", "3000000", "0.750", "1000000", "2.00", "4.00", "yes")
    ]
    rows = list_file_rows(make_report(make_file("a"), make_file("b", raw_bytes=0, stored_bytes=125)))
    assert {len(row) for row in rows} == {len(FILE_COLUMNS)}
    assert rows[1][2:] == ("0", "125", "-", "-125", "-", "-", "yes")
    assert rows[2][:4] == ("all", "", "4000000", "3000125")


def test_a_kind_is_a_row() -> None:
    rows = list_kind_rows(make_report(make_file()))
    assert rows[0] == ("weights", "BF16", "1", "3999900", "2999910", "0.750", "999990")
    assert rows[1][:3] == ("glue", "-", "-")
    assert rows[2] == ("index and ends", "-", "-", "0", "50", "-", "-50")
    assert {len(row) for row in rows} == {len(KIND_COLUMNS)}


def test_a_predecessor_that_did_not_help_is_said() -> None:
    rows = list_file_rows(make_report(make_file(base="old"), make_file(base="old", leans=True)))
    assert [row[1] for row in rows] == ["alone (no use of old)", "old", ""]


def test_files_beside_that_helped_are_named() -> None:
    files = (make_file(beside=("big",)), make_file(base="old", leans=True, beside=("big",)))
    rows = list_file_rows(make_report(*files, make_file(base="old", beside=("big", "other"))))
    assert [row[1] for row in rows[:3]] == ["big", "old, big", "big, other (no use of old)"]


def test_the_facts_tell_identity_threads_memory_and_machine() -> None:
    text = "\n".join(list_facts(make_report(make_file())))
    assert "identical: yes, the file was restored" in text
    assert "encode 2.00 GB/s, decode 4.00 GB/s, on 2 threads" in text
    assert "peak memory: 150 MB" in text
    assert "weightzip 1.2.3 at level default on Some <CPU>" in text
    assert "disk" not in text


def test_the_share_of_a_disk_in_the_speed_is_said() -> None:
    assert any(
        "4 MB from a disk" in fact for fact in list_facts(make_report(make_file(disk_bytes=4_000_000)))
    )
    assert any("unknown" in fact for fact in list_facts(make_report(make_file(disk_bytes=None))))
