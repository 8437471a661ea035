"""What is shown can be read back, and never holds a secret."""

from pathlib import Path

from weightzip.config import load_settings
from weightzip.config.show import MASK, settings_schema, settings_to_yaml


def test_shown_settings_read_back_the_same(tmp_path: Path) -> None:
    settings = load_settings(
        flags={
            "source": {"path": "/ckpt", "quiet_period": "1500ms", "ignore": ["*.log"]},
            "store": {"url": "memory://x", "run_id": "r1"},
            "cache": {"limit": "3GiB"},
            "retention": {"keep_last": 3},
        }
    )
    file = tmp_path / "shown.yaml"
    file.write_text(settings_to_yaml(settings))
    assert load_settings(file).model_dump() == settings.model_dump()


def test_secrets_are_masked_at_any_depth() -> None:
    settings = load_settings(
        flags={
            "source": {"path": "/ckpt"},
            "store": {
                "url": "webdav://me:hunter2@host/x",
                "options": {
                    "secret": "hunter2",
                    "client_kwargs": {"aws_session_token": "hunter2", "endpoint_url": "http://h"},
                },
            },
        }
    )
    shown = settings_to_yaml(settings)
    assert "hunter2" not in shown
    assert MASK in shown
    assert "http://h" in shown


def test_the_schema_refuses_unknown_keys_and_describes_every_setting() -> None:
    schema = settings_schema()
    for section in schema["$defs"].values():
        assert section["additionalProperties"] is False
        assert all(field.get("description") for field in section["properties"].values())
