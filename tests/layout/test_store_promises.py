"""Each promise of docs/store.md names its tests; a renamed test must not leave a promise behind."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_promise_names_tests_that_exist() -> None:
    text = (ROOT / "docs" / "store.md").read_text()
    rows = re.findall(r"^\| \d+ \| .* \| (.*) \|$", text, re.MULTILINE)
    assert len(rows) == 18
    assert all("`" in row for row in rows)
    named = set(re.findall(r"`((?:test_|Test)\w+|StoreSuite)`", text))
    sources = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))
    missing = {
        name
        for name in named
        if not re.search(rf"^(def|class) {name}\b|^{name} = |^    def {name}\b", sources, re.MULTILINE)
    }
    assert not missing
