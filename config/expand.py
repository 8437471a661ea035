"""`${VAR}` inside parsed string values of the configuration file. Never in the raw text: a value cannot change the structure."""

import re
from collections.abc import Mapping
from typing import Any

_REFERENCE = re.compile(r"\$(?:\$|\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\})")


class UnsetVariable(ValueError):
    """A value names an environment variable that is not set and has no default."""


def expand_variables(value: Any, environ: Mapping[str, str], where: str = "") -> Any:
    """Return a parsed YAML value with every `${VAR}` and `${VAR:-default}` replaced; `$$` stands for one `$`.

    Raises:
        UnsetVariable: a variable is not set and no default is given; the message names the key.
    """
    if isinstance(value, str):
        return _expand_text(value, environ, where)
    if isinstance(value, list):
        return [expand_variables(item, environ, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, dict):
        return {
            key: expand_variables(item, environ, f"{where}.{key}" if where else str(key))
            for key, item in value.items()
        }
    return value


def _expand_text(text: str, environ: Mapping[str, str], where: str) -> str:
    def replace(match: re.Match[str]) -> str:
        name, default = match.group(1), match.group(2)
        if name is None:
            return "$"
        # As in a shell, `:-` also replaces an empty variable.
        if default is not None:
            return environ.get(name) or default
        if name not in environ:
            raise UnsetVariable(f"{where}: ${{{name}}} is not set; set it, or write ${{{name}:-default}}")
        return environ[name]

    return _REFERENCE.sub(replace, text)
