"""The command that installs an extra."""

import re
import sys
import tomllib
from pathlib import Path

from tarsus.analytic.compilation import extras

ROOT = Path(__file__).parents[3]
OPTIONAL = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
FILES = [path for name in ("*.md", "docs/*.md", "docs/*/*.py", "docs/*/*.ipynb") for path in ROOT.glob(name)]
FILES += [path for folder in ("analytic", "envs", "mjcf", "scripts") for path in (ROOT / folder).rglob("*.py")]


def test_in_a_checkout_the_checkout_is_installed_with_the_extra(monkeypatch, tmp_path):
    monkeypatch.setattr(extras, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "bin" / "python"))
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    assert extras.install("rl", "onnx") == "venv/bin/python -m pip install -c constraints.txt -e '.[rl,onnx]'"
    assert "-c constraints-ray.txt -e '.[ray]'" in extras.install("ray")
    monkeypatch.chdir("/")
    assert extras.install("view").endswith(f"-c {str(tmp_path)[1:]}/constraints.txt -e '{str(tmp_path)[1:]}[view]'")


def test_without_a_checkout_the_requirements_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(extras, "ROOT", tmp_path)
    stated = ["numpy>=2.0", "onnx>=1.16; extra == 'onnx'", 'warp; extra == "rl"', 'torch<3,>=2; extra == "rl"']
    monkeypatch.setattr(extras.importlib.metadata, "requires", lambda name: stated)
    assert extras.install("onnx").endswith("-m pip install 'onnx>=1.16'")
    assert extras.install("rl").endswith("-m pip install warp 'torch<3,>=2'")


def test_messages_name_extras_that_exist_and_no_page_says_that_the_package_is_published():
    texts = {path: path.read_text(encoding="utf-8") for path in FILES}
    assert not [path for path, text in texts.items() if re.search(r"pip install [^`\n]*\btarsus(\[|$|`)", text)]
    named = {name for text in texts.values() for name in re.findall(r"extras\.install\((['\"].*?)\)", text)}
    assert {word.strip("\"' ") for names in named for word in names.split(",")} <= {*OPTIONAL} and len(named) > 5
