"""The public surface: `public.txt` has every name and where it is, and pages import from public modules only."""

import ast
import functools
import importlib
import re
from pathlib import Path

import pytest

import tarsus

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("public.txt")
# What shows readers how to import: Markdown, the scripts of notebooks, recipes. Other files of docs/ make the site.
PAGES = [
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name != "architecture.md"),
    *sorted(path for folder in ("notebooks", "recipes") for path in (ROOT / "docs" / folder).glob("*.py")),
]
HEAD = "# Every public name and where it is; `pytest tests/test_public.py --update-golden` writes it.\n"


def of_the_root() -> list[str]:
    """Return the modules that stand at the package's root, with it."""
    return ["tarsus", *(f"tarsus.{path.stem}" for path in sorted(ROOT.glob("*.py")) if path.stem != "__init__")]


def place(module: str, name: str) -> str:
    """Return where the value of a public name is defined, "data" if it does not say."""
    value = getattr(importlib.import_module(module), name)
    if value.__class__.__name__ == "module":
        return value.__name__
    return f"{value.__module__}.{value.__qualname__}" if hasattr(value, "__qualname__") else "data"


def documented() -> list[str]:
    """Return the modules of the API reference: those of `automodule`, and below each those that `autosummary` lists."""
    found = []
    for page in sorted((ROOT / "docs/api").glob("*.md")):
        package = ""
        lines = re.findall(
            r"^(?:\.\. automodule:: |   )(?:(tarsus[\w.]*)|([a-z]\w*))$", page.read_text(), flags=re.MULTILINE
        )
        for whole, below in lines:
            package = whole or package
            found.append(whole or f"{package}.{below}")
    return found


@functools.cache
def surface() -> dict[str, list[str] | None]:
    """Return the names of every public module; None of those that list none."""
    names = {module: getattr(importlib.import_module(module), "__all__", None) for module in documented()}
    return names | {f"tarsus.{package}": None for package in ("analytic", "mjcf", "controllers", "envs")}


def imports(code: str) -> list[tuple[str, str]]:
    """Return the modules of the package that code imports from, each with a name, "" if it is imported itself."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "from tarsus" in node.value:
            found += imports(node.value)  # a file that a notebook writes
    return [(module, name) for module, name in found if re.match(r"tarsus\b", module)]


def private(module: str, name: str) -> bool:
    """Return whether a page may not import that: no public module, or no public name of it."""
    if name and f"{module}.{name}" in surface():
        return False
    return module not in surface() or bool(name) and name not in (surface()[module] or [name])


def code_of(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    return text if page.suffix == ".py" else "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))


def test_every_public_name_is_where_the_list_says(request):
    rows = [
        f"{module}.{name}  {place(module, name)}"
        for module in of_the_root()
        for name in sorted(importlib.import_module(module).__all__)
    ]
    if request.config.getoption("--update-golden"):
        LIST.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    assert LIST.read_text(encoding="utf-8").splitlines()[1:] == rows


def test_the_modules_of_the_root_are_names_of_the_package_and_documented():
    modules = {name for name in tarsus.__all__ if getattr(tarsus, name).__class__.__name__ == "module"}
    assert {f"tarsus.{name}" for name in modules} == set(of_the_root()) - {"tarsus"}
    assert set(of_the_root()) <= set(surface())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_imports_what_is_public(page):
    assert not [found for found in imports(code_of(page)) if private(*found)]
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"tarsus\.scripts\.\w+", text)) <= {"tarsus.scripts.laboratory"}  # `-m`, in a checkout


def test_the_check_of_pages_sees_what_is_not_public():
    assert len([page for page in PAGES if imports(code_of(page))]) > 30
    code = """if True:
        import tarsus.hybrid
        from tarsus.hybrid import sections, Kernel
        from tarsus.analytic import clock
        MINE = "from tarsus.scripts.suite.engines.mujoco import NAME" """
    assert [found for found in imports(code) if private(*found)] == [
        ("tarsus.hybrid", "Kernel"),
        ("tarsus.scripts.suite.engines.mujoco", "NAME"),
    ]


def test_short_names_are_the_same_objects_and_packages_of_their_public_modules_alone(new_process):
    code = """if True:
        import tarsus.contact, tarsus.hybrid.sections as sections
        from tarsus.hybrid.adjoint import Adjoint
        from tarsus.contact.se2 import exponential
        from tarsus import hybrid
        from tarsus.analytic import hybrid as long
        from tarsus.analytic.hybrid import adjoint
        from tarsus.analytic.contact import se2, solve
        assert sections is hybrid.sections is long.sections and Adjoint is adjoint.Adjoint
        assert hybrid.compile is long.compile and tarsus.contact.solve is solve and exponential is se2.exponential
        try:
            import tarsus.hybrid.kernel
        except ModuleNotFoundError as error:
            print(error)"""
    done = new_process(code)
    assert done.stdout == "No module named 'tarsus.hybrid.kernel'\n", done.stderr
