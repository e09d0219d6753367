"""What `pip` installs is what the folders hold."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOLDERS = ("analytic", "mjcf", "controllers", "envs", "scripts")
LEFT_OUT = ("tarsus.scripts.laboratory", "tarsus.scripts.suite.making")  # serve the repository, and are in no wheel


def test_every_folder_with_code_is_listed_as_a_package_but_for_those_left_out():
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    found = {"tarsus"}
    for folder in FOLDERS:
        for init in (ROOT / folder).rglob("__init__.py"):
            found.add(".".join(("tarsus", *init.parent.relative_to(ROOT).parts)))
    left_out = {name for name in found if name.startswith(LEFT_OUT)}
    assert set(LEFT_OUT) <= left_out and set(setuptools["packages"]) == found - left_out


def test_what_the_wheel_has_imports_nothing_that_it_has_not():
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        if not path.is_relative_to(ROOT / "scripts/laboratory") and not path.is_relative_to(
            ROOT / "scripts/suite/making"
        ):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(import|from) [\w.]*\b(laboratory|making)\b", text), path


def test_every_module_lies_in_a_package():
    for folder in FOLDERS:
        for module in (ROOT / folder).rglob("*.py"):
            assert (module.parent / "__init__.py").exists(), f"{module} would be missing from the wheel"


def test_the_trained_policies_are_in_the_wheel():
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    folder = ROOT / "scripts" / "library" / "learning"
    listed = {
        path for pattern in data["tarsus.scripts.library.learning"] for path in folder.glob(pattern) if path.is_file()
    }
    assert {path for path in (folder / "trained").rglob("*.*")} <= listed and len(listed) > 1


def test_the_release_has_one_number_and_one_day():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest, day = re.search(r"## \[(\d[^]]*)\] - (\S+)", changes).groups()
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert newest == version
    assert f"\nversion: {version}\n" in citation and f"\ndate-released: {day}\n" in citation


def test_the_pythons_that_are_named_are_those_tried():
    named = [line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", line)]
    tried = re.search(r"set -- (.+)$", (ROOT / ".ci" / "ranges").read_text(), flags=re.MULTILINE)[1].split()
    assert [range_.split(":")[0] for range_ in tried] == named == ["3.11", "3.12", "3.13"]
    assert {range_.split(":")[1] for range_ in tried} == {"oldest", "pinned", "newest"}


def test_every_dependency_has_a_lower_bound_and_what_is_tested_a_pin_within_it():
    extras = PROJECT["optional-dependencies"]
    wanted = PROJECT["dependencies"] + [
        line for name in ("rl", "onnx", "view", "docs", "test") for line in extras[name]
    ]
    bounds = dict(
        re.match(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)", line).groups() for line in wanted if "tarsus[" not in line
    )
    pins = dict(re.findall(r"^([\w-]+)==([\d.]+)$", (ROOT / "constraints.txt").read_text(), flags=re.MULTILINE))
    number = {name: [tuple(map(int, text.split("."))) for text in (bounds[name], pins[name])] for name in bounds}
    assert not [name for name, (oldest, pinned) in number.items() if pinned < oldest]
