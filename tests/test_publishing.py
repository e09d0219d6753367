"""What a public home needs: files that call what there is, and say the same as pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA = {"matplotlib": "matplotlib-base", "imageio[ffmpeg]": "imageio", "mujoco": "mujoco-python"}  # names there


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_what_runs_there_is_what_runs_here():
    assert "run: .ci/run" in text(".github/workflows/ci.yml")
    config = re.search(r"configuration: (\S+)", text(".readthedocs.yaml"))[1]
    assert (ROOT / config).exists() and "fail_on_warning: true" in text(".readthedocs.yaml")
    assert "-c constraints.txt -e '.[docs]'" in text(".readthedocs.yaml")


def test_the_recipe_requires_what_the_package_does():
    recipe = text("conda/recipe.yaml")
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    assert f"python {PROJECT['requires-python']}" in run
    for requirement in PROJECT["dependencies"]:
        name, bounds = re.fullmatch(r"([\w-]+(?:\[\w+\])?)(.*)", requirement).groups()
        assert re.search(rf"^ *- {re.escape(CONDA.get(name, name))} {re.escape(bounds)}$", run, re.MULTILINE), name
    assert f'"{PROJECT["version"]}"' in recipe and PROJECT["scripts"]["tarsus"] in recipe


def test_versions_agree():
    assert f"version: {PROJECT['version']}\n" in text("CITATION.cff")


def test_the_page_names_the_files_and_nothing_stands_in_for_a_name():
    page = text("docs/publishing.md")
    for name in re.findall(r"`([\w./]+)`", page.partition("A release")[0]):
        assert (ROOT / name).exists() or name in ("authors", "urls", "source"), name
    for name in ("CODE_OF_CONDUCT.md", "conda/recipe.yaml", ".github/workflows/ci.yml", "CITATION.cff"):
        assert not re.search(r"TODO|FIXME|XXX|example\.(com|org)|YOUR|<[A-Z]+>", text(name)), name


@pytest.mark.parametrize("name", ["wrong_result.md", "new_thing.md"])
def test_issues_have_a_name_and_a_purpose(name):
    assert re.match(r"---\nname: .+\nabout: .+\n---\n", text(f".github/ISSUE_TEMPLATE/{name}"))
