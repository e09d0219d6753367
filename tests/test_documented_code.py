"""The code that README, pages and tutorials show runs as it stands, from top to bottom; of some pages, block by block.

All of it runs in this process, with names of its own: a new process for each would load the libraries again.
"""

import linecache
import re
from pathlib import Path

import pytest

from tarsus.analytic.terrain import TERRAINS
from tarsus.scripts.command import cli

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"```python\n(.*?)```", flags=re.DOTALL)


def blocks(path: Path) -> list[str]:
    return FENCE.findall(path.read_text(encoding="utf-8"))


PAGES = {path.relative_to(ROOT / "docs"): "\n".join(blocks(path)) for path in sorted((ROOT / "docs").rglob("*.md"))}
SHOWN = {page.with_suffix("").as_posix(): code for page, code in PAGES.items() if code}
for alone in (ROOT / "README.md", ROOT / "docs" / "own_robot.md"):  # each of their blocks is complete
    SHOWN.pop(alone.stem, None)
    SHOWN |= {f"{alone.stem}-{n}": block for n, block in enumerate(blocks(alone))}
SMALLER = {  # steps of training: one update, or a few
    "recipes": {"600_000": "4_096", "200_000": "96", "4_000": "32"},
    "own_robot-3": {"1_000_000": "8", "num_envs=8": "num_envs=1"},
}
HOPS = "tarsus run slip-leg --engine exact --steps 3 --no-video --out hops"
STUDY = "tarsus sweep slip-leg --steps 5 --set base_mass=7:8:2 speed=1.0:1.1:2 --out study"
COMMANDS = {"results": (HOPS, STUDY), "learning": ("tarsus export hexapod --out walk",)}  # which a page needs


@pytest.fixture(autouse=True)
def terrains():
    """Forget the terrains of a page behind it: messages list what there is."""
    before = dict(TERRAINS)
    yield
    TERRAINS.clear()
    TERRAINS.update(before)


def test_there_is_code_to_run():
    assert {"README-0", "own_robot-3", "hybrid", "doors", "learning"} <= set(SHOWN) and len(SHOWN) > 20


@pytest.mark.parametrize("name", SHOWN)
def test_the_code_of_a_page_runs(name, tmp_path, monkeypatch, capsys):
    code = SHOWN[name]
    if "stable_baselines3" in code or "tarsus.train" in code:
        pytest.importorskip("stable_baselines3", reason="it needs the extra `rl`")
    if "onnxruntime" in code:
        pytest.importorskip("onnxruntime", reason="it needs the extra `onnx`, and onnxruntime")
    if 'engine="warp"' in code:
        pytest.importorskip("mujoco_warp", reason="it needs the extra `warp`")
    for long, short in SMALLER.get(name, {}).items():
        assert long in code
        code = code.replace(long, short)
    assert "gymnasium.make" not in code or re.search(r'^import tarsus|^from tarsus|"tarsus:', code, flags=re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS.get(name, ()):
        assert command in (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert cli.main(command.split()[1:]) == 0
    linecache.cache[name] = (
        len(code),
        None,
        code.splitlines(keepends=True),
        name,
    )  # a notebook's cells have a source, too
    exec(compile(code, name, "exec"), {"__name__": name})
    out = capsys.readouterr().out
    assert not re.search(r"\bnan\b", out, flags=re.IGNORECASE)
    assert out.strip() or "print(" not in code
