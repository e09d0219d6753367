"""docs/conventions.md is the dictionary: a word is one thing, and no two public classes have one name."""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("analytic", "controllers", "envs", "mjcf", "scripts")
DICTIONARY = (ROOT / "docs" / "conventions.md").read_text(encoding="utf-8").partition("## Words")[2]


def public_classes() -> dict[str, list[str]]:
    """Return the modules that define each public class, by its name; engines of the contact suite, which are loaded
    by their paths, all call their class as the suite's form says.
    """
    found = defaultdict(list)
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and path.parent.name != "engines":
                found[node.name].append(path.relative_to(ROOT).as_posix())
    return found


def test_no_two_public_classes_have_one_name():
    assert not {name: paths for name, paths in public_classes().items() if len(paths) > 1}


def test_the_classes_of_the_dictionary_are_there():
    named = re.findall(r"`([A-Z]\w+[a-z]\w*)`", DICTIONARY)
    assert len(named) > 10 and not set(named) - set(public_classes())


def test_the_documentation_stays_short():
    """Words have a letter: the numbers and separators of tables are none."""
    pages = list((ROOT / "docs").rglob("*.md"))
    words = sum(len(re.findall(r"\S*[A-Za-z]\S*", page.read_text(encoding="utf-8"))) for page in pages)
    assert len(pages) <= 50 and words <= 60_000, f"{len(pages)} pages, {words} words"
