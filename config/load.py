"""Loading: flag > environment > file > default, merged key by key by pydantic-settings."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from pydantic_settings import InitSettingsSource, PydanticBaseSettingsSource

from weightzip.config.expand import UnsetVariable, expand_variables
from weightzip.config.problems import describe_problems, suggest_key
from weightzip.config.settings import ENV_DELIMITER, ENV_PREFIX, Settings
from weightzip.errors import NotFound, UsageError


def load_settings(file: Path | None = None, flags: Mapping[str, Mapping[str, Any]] | None = None) -> Settings:
    """Build the settings from a YAML file, the environment and command line flags.

    `flags` holds sections with only the keys that were given, as in `{"source": {"path": "/ckpt"}}`.

    Raises:
        NotFound: the file does not exist.
        UsageError: not YAML, an unknown key, an unset variable or a value out of range; every problem is named.
    """
    file_values = _read_file(file) if file is not None else {}
    flag_values = {section: dict(values) for section, values in (flags or {}).items()}
    problems = _unknown_environment(os.environ)
    if problems:
        raise UsageError(_join("environment", problems))

    class SourcedSettings(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[Settings],  # type: ignore[override]
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            from_file = InitSettingsSource(settings_cls, init_kwargs=file_values)
            return init_settings, env_settings, from_file

    # pydantic-settings reads its sources in the constructor; the sections arrive there as plain mappings.
    build: Callable[..., Settings] = SourcedSettings
    try:
        return build(**flag_values)
    except ValidationError as error:
        raise UsageError(_join(str(file or "configuration"), describe_problems(error, Settings))) from None


def _read_file(file: Path) -> dict[str, Any]:
    try:
        values = yaml.safe_load(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFound(f"{file}: no such configuration file") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{file}: {error}") from None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise UsageError(f"{file}: the configuration must be a mapping of sections")
    try:
        expanded: dict[str, Any] = expand_variables(values, os.environ)
    except UnsetVariable as error:
        raise UsageError(f"{file}: {error}") from None
    return expanded


def _unknown_environment(environ: Mapping[str, str]) -> list[str]:
    # Names without the delimiter (WEIGHTZIP_SOMETHING) are not settings and may belong to other tools.
    problems = []
    for name in sorted(environ):
        if name.startswith(ENV_PREFIX) and ENV_DELIMITER in name:
            section = name.removeprefix(ENV_PREFIX).split(ENV_DELIMITER)[0].lower()
            if section not in Settings.model_fields:
                problems.append(
                    f"{name}: {section} is not a section{suggest_key(section, Settings.model_fields)}"
                )
    return problems


def _join(where: str, problems: list[str]) -> str:
    return f"{where}: " + "; ".join(problems)
