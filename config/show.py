"""The effective settings as text, secrets masked, and the JSON Schema for editors."""

import re
from typing import Any

import yaml

from weightzip.config.settings import Settings

MASK = "********"
_SECRET_KEY = re.compile(r"key|secret|token|password|credential|account", re.IGNORECASE)
_URL_USER = re.compile(r"(?<=://)[^/@]+(?=@)")


def settings_to_dict(settings: Settings) -> dict[str, Any]:
    """Return the effective settings as plain values in human units, with secrets masked."""
    values = settings.model_dump(mode="json")
    values["store"]["url"] = mask_url(settings.store.url)
    values["store"]["options"] = mask_secrets(settings.store.options)
    return values


def settings_to_yaml(settings: Settings) -> str:
    """Write the effective settings as YAML that `weightzip run --config` reads back (masked secrets apart)."""
    return yaml.safe_dump(settings_to_dict(settings), sort_keys=False)


def settings_schema() -> dict[str, Any]:
    """Return the JSON Schema of the configuration file."""
    return Settings.model_json_schema()


def mask_url(url: str) -> str:
    """Hide user and password in a URL."""
    return _URL_USER.sub(MASK, url)


def is_secret_key(key: object) -> bool:
    """Say whether a key sounds like that of a credential."""
    return _SECRET_KEY.search(str(key)) is not None


def mask_secrets(values: Any) -> Any:
    """Hide every value whose key sounds like a credential, at any depth."""
    if isinstance(values, dict):
        return {k: MASK if is_secret_key(k) else mask_secrets(v) for k, v in values.items()}
    if isinstance(values, list | tuple):
        return [mask_secrets(v) for v in values]
    return mask_url(values) if isinstance(values, str) else values
