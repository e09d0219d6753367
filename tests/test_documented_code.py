"""The code on a page runs as it stands, from top to bottom; README and tutorials have tests of their own."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
FENCE = re.compile(r"```python\n(.*?)```", flags=re.DOTALL)
PAGES = [
    path for path in sorted(DOCS.rglob("*.md")) if path.parent.name != "tutorials" and FENCE.search(path.read_text())
]
SMALLER = {"recipes": {"600_000": "4_096", "200_000": "96", "4_000": "32"}}  # steps of training: one update, or a few


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    code = "\n".join(FENCE.findall(page.read_text(encoding="utf-8")))
    if "stable_baselines3" in code:
        pytest.importorskip("stable_baselines3", reason="it needs the extra: pip install 'tarsus[rl]'")
    for long, short in SMALLER.get(page.stem, {}).items():
        assert long in code
        code = code.replace(long, short)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(page), "exec"), {"__name__": page.stem})
