"""docs/configuration.md says what the models say."""

from pathlib import Path

from weightzip.config.reference import render_reference, update_document

DOCUMENT = Path(__file__).parents[3] / "docs" / "configuration.md"


def test_the_document_is_up_to_date() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert update_document(text) == text, "run `python -m weightzip.config.reference docs/configuration.md`"


def test_the_reference_names_defaults_in_human_units() -> None:
    reference = render_reference()
    assert "| `rescan_interval` | duration | `30s` |" in reference
    assert "| `limit` | size | `32GiB` |" in reference
    assert "| `path` | path | required |" in reference
