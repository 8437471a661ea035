"""Flag over environment over file over default; every mistake is named."""

from pathlib import Path
from typing import Any

import pytest

from weightzip.config import load_settings
from weightzip.errors import NotFound, UsageError

MINIMAL = {"source": {"path": "/ckpt"}, "store": {"url": "memory://x"}}


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in [name for name in os.environ if name.startswith("WEIGHTZIP_")]:
        monkeypatch.delenv(name)


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    return file


def test_path_and_url_are_enough() -> None:
    settings = load_settings(flags=MINIMAL)
    assert settings.source.path == Path("/ckpt")
    assert settings.encode.max_chain_depth == 8


def test_order_is_flag_environment_file_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(
        tmp_path,
        "source: {path: /file, name: file, rescan_interval: 7s}\nstore: {url: 'memory://file'}\nencode: {verify: false}\n",
    )
    monkeypatch.setenv("WEIGHTZIP_SOURCE__PATH", "/env")
    monkeypatch.setenv("WEIGHTZIP_SOURCE__NAME", "env")
    settings = load_settings(file, {"source": {"path": "/flag"}})
    assert settings.source.path == Path("/flag")
    assert settings.source.name == "env"
    assert settings.source.rescan_interval == 7.0
    assert settings.store.url == "memory://file"
    assert settings.encode.verify is False
    assert settings.source.watch == "auto"


def test_variables_expand_inside_values_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUN", "a: b\n- c")
    monkeypatch.delenv("UNSET_THING", raising=False)
    file = write(
        tmp_path,
        "source: {path: /ckpt}\nstore: {url: 'memory://${RUN}/${UNSET_THING:-d}/$$x', options: {n: ['${RUN}']}}\n",
    )
    settings = load_settings(file)
    assert settings.store.url == "memory://a: b\n- c/d/$x"
    assert settings.store.options == {"n": ["a: b\n- c"]}


def test_an_unset_variable_is_an_error_that_names_key_and_variable(tmp_path: Path) -> None:
    file = write(tmp_path, "source: {path: /ckpt}\nstore: {url: 'memory://${NO_SUCH_VARIABLE}'}\n")
    with pytest.raises(UsageError, match=r"store\.url: \$\{NO_SUCH_VARIABLE\} is not set"):
        load_settings(file)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            {"source": {"path": "/c", "rescan_intervall": "3s"}},
            "source.rescan_intervall is not a setting: did you mean rescan_interval",
        ),
        ({"sauce": {"path": "/c"}}, "sauce is not a setting: did you mean source"),
        ({"source": {"path": "/c", "zzz": 1}}, "known here are ignore, layout"),
        ({"source": {"path": "/c", "quiet_period": "5"}}, "source.quiet_period: '5' is not a duration"),
        ({"source": {"path": "/c", "quiet_period": 1.5}}, "source.quiet_period: '1.5' is not a duration"),
        ({"source": {"path": "/c", "layout": "megatron-1"}}, "source.layout"),
        ({"retention": {"keep_last": 1}}, "retention.keep_last"),
        ({"cache": {"limit": 5}}, "cache.limit: '5' is not a size"),
        ({"server": {"listen": "9440"}}, "server.listen: '9440' is not an address"),
        ({"source": {}}, "source.path is not set: pass --watch"),
        ({"store": {}}, "store.url is not set: pass --store"),
    ],
)
def test_every_mistake_is_named(flags: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_settings(flags={**MINIMAL, **flags})
    assert message in str(caught.value)


def test_several_mistakes_come_in_one_message() -> None:
    with pytest.raises(UsageError, match=r"encode\.nope.*limits\.nice"):
        load_settings(flags={**MINIMAL, "encode": {"nope": 1}, "limits": {"nice": 40}})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("WEIGHTZIP_SORCE__PATH", "WEIGHTZIP_SORCE__PATH: sorce is not a section: did you mean source"),
        ("WEIGHTZIP_ENCODE__VERIFI", "encode.verifi is not a setting: did you mean verify"),
    ],
)
def test_an_unknown_environment_key_is_an_error(
    monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.setenv(name, "1")
    with pytest.raises(UsageError) as caught:
        load_settings(flags=MINIMAL)
    assert message in str(caught.value)


def test_environment_names_without_a_section_belong_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIGHTZIP_SOMETHING", "1")
    load_settings(flags=MINIMAL)


@pytest.mark.parametrize("text", ["[1, 2]", "a: [", "\x00"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError):
        load_settings(write(tmp_path, text))


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such configuration file"):
        load_settings(tmp_path / "none.yaml")
