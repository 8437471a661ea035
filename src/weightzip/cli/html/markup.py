"""Pieces of markup: escaped text, elements, tables. What is escaped here once is never escaped again."""

import re
from collections.abc import Sequence
from html import escape

from weightzip.cli.streams import escape_controls


def escape_text(text: str) -> str:
    """Return text of any origin, safe inside of an element or of a quoted attribute."""
    return escape(escape_controls(text))


def element(name: str, *content: str, **attributes: str | float) -> str:
    """Return an element around markup. Attributes are escaped; an underscore stands for a hyphen or, last, nothing."""
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape_text(_format_value(value))}"'
        for key, value in attributes.items()
    )
    return f"<{name}{listed}>{''.join(content)}</{name}>"


def render_table(columns: Sequence[str], rows: Sequence[Sequence[str]], n_text_columns: int) -> str:
    """Return a table of texts. The first columns hold words and stand left, the others figures and stand right."""
    head = element(
        "tr", *(_cell("th", column, number < n_text_columns) for number, column in enumerate(columns))
    )
    body = (
        element("tr", *(_cell("td", text, number < n_text_columns) for number, text in enumerate(row)))
        for row in rows
    )
    table = element("table", element("thead", head), element("tbody", *body))
    return element("div", table, class_="scroll")


def _cell(name: str, text: str, is_text: bool) -> str:
    """Return a cell; words in it may break where paths and names of tensors have their joints."""
    if not is_text:
        return element(name, escape_text(text), class_="figure")
    return element(name, re.sub(r"([/._])", r"\1<wbr>", escape_text(text)), class_="text")


def _format_value(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
