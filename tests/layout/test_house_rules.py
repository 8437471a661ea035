"""Rules of the house that no linter knows: short files, and one word for one thing."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE_FOLDERS = ("src/weightzip", "codec", "daemon", "gpu", "config", "demo", "benchmarks", "tests")
MAX_LINES = 400

# The rejected words of docs/glossary.md that have no second, legitimate meaning in our code.
BANNED = {
    "snapshot",
    "dump",
    "blob",
    "fmt",
    "chunk",
    "lineage",
    "debounce",
    "misc",
    "tile",
    "delta",
    "diff",
    "prev",
}


def _list_sources(*suffixes: str) -> list[Path]:
    found = [
        path
        for folder in SOURCE_FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in suffixes and path.is_file()
    ]
    assert len(found) > 50
    return sorted(found)


def test_no_source_file_is_long() -> None:
    sources = _list_sources(".py", ".pyi", ".cpp", ".hpp", ".inl", ".h", ".cu", ".cuh")
    lengths = {path.relative_to(ROOT): len(path.read_text().splitlines()) for path in sources}
    assert {str(path): lines for path, lines in lengths.items() if lines > MAX_LINES} == {}


def test_every_module_says_what_lives_in_it() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in _list_sources(".py")
        if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


def test_names_use_the_words_of_the_glossary() -> None:
    rejected = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in _list_sources(".py")
        for name in _list_defined_names(ast.parse(path.read_text()))
        if BANNED & set(_split_words(name))
    }
    assert rejected == set()


@pytest.mark.parametrize("word", sorted(BANNED))
def test_the_glossary_rejects_the_word(word: str) -> None:
    rows = [line for line in (ROOT / "docs" / "glossary.md").read_text().splitlines() if line.startswith("|")]
    rejected = {other for row in rows for other in re.split(r"[,\s]+", row.split("|")[3])}
    assert word in rejected


def _list_defined_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _split_words(name: str) -> list[str]:
    """Split snake_case and CamelCase into lower-case words, each also without a plural s."""
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]
    return words + [word.removesuffix("s") for word in words]
