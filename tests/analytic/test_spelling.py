"""A message about a name that there is not lists those that there are, and ends by asking for the nearest."""

import ast
import functools
import re
from pathlib import Path

import pytest

from tarsus.analytic import spelling

ROOT = Path(__file__).parents[2]
FOLDERS = ("analytic", "controllers", "envs", "mjcf", "scripts")
UNKNOWN = re.compile(r"unknown|there (is|are) no|has no|cannot randomise")
LISTED = re.compile(r"(there are|known:) $")
QUESTIONS = {"listed", "meant", "lost"}


def test_the_nearest_name_is_asked_for_behind_all_that_there_are():
    assert spelling.listed("Wlak", ("run", "walk"), ", and files") == "run, walk, and files; did you mean walk?"
    assert spelling.listed("trot", ("run", "walk")) == "run, walk"
    assert spelling.listed("trot", ()) == "none"
    spelling.check_name("gait", "run", {"run": 1})
    with pytest.raises(ValueError, match=r"^unknown gait 'Wlak'; there are run, walk; did you mean walk\?$"):
        spelling.check_name("gait", "Wlak", ("run", "walk"))


@functools.cache
def sentences():
    """Return the parts, texts and placeholders, of every formatted string of the package, with its place.

    Cases of the suite are read by Pythons that have nothing else of the package.
    """
    alone = {ROOT / "scripts/suite/case.py", ROOT / "scripts/suite/schema.py"}
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if path not in alone]
    found = [(path, ast.walk(ast.parse(path.read_text(encoding="utf-8")))) for path in paths]
    return [
        (f"{path.relative_to(ROOT)}:{node.lineno}", node.values)
        for path, nodes in found
        for node in nodes
        if isinstance(node, ast.JoinedStr)
    ]


def test_names_that_are_listed_have_their_nearest_named():
    """A list behind a name that there is not is made by `spelling`, which alone knows the nearest."""
    bare = []
    for where, parts in sentences():
        texts = [part.value if isinstance(part, ast.Constant) else "" for part in parts]
        said = "".join(texts)
        for before, part in zip(texts, parts[1:], strict=False):
            if isinstance(part, ast.FormattedValue) and UNKNOWN.search(said) and LISTED.search(before):
                bare += [where] if ".join(" in ast.unparse(part) else []
    assert not bare


def test_a_question_ends_its_message():
    """What was wrong, what is allowed, what to do, and last what may have been meant."""
    early = []
    for where, parts in sentences():
        for part in parts[:-1]:
            called = getattr(getattr(part, "value", None), "func", None)
            name = getattr(called, "attr", getattr(called, "id", ""))
            early += [where] if name in QUESTIONS else []
    assert not early
