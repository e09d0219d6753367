"""The pages of the API reference: for every folder its modules, with what their docstrings say."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = ("machines", "runs", "comparison", "learning", "sliding", "studies", "views", "pages")
FOLDERS = {  # page, title, folders
    "hybrid": ("The hybrid engine", ("analytic/hybrid",)),
    "contact": ("The contact solver", ("analytic/contact",)),
    "compilation": ("Compilation", ("analytic/compilation",)),
    "models": ("Machines, exactly", ("analytic/models", "analytic/models/hexapod")),
    "analytic": ("Terrain, clock, motor, battery, SimSect's files", ("analytic", "analytic/simsect")),
    "mjcf": ("Models in MuJoCo", ("mjcf",)),
    "controllers": ("Controllers", ("controllers",)),
    "envs": ("Environments", ("envs",)),
    "scripts": ("Commands", ("scripts",)),
    "benchmarks": ("Benchmarks", ("scripts/benchmarks",)),
    "shared": ("What the commands share", tuple(f"scripts/{name}" for name in SHARED)),
}


def modules(folder: str) -> list[str]:
    """Return the dotted names of a folder's modules, itself first."""
    names = sorted(path.stem for path in (ROOT / folder).glob("*.py") if not path.stem.startswith("_"))
    dotted = "tarsus." + folder.replace("/", ".")
    return [dotted, *(f"{dotted}.{name}" for name in names)]


def page(title: str, folders: tuple[str, ...]) -> str:
    """Return a page of the reference, in MyST's Markdown."""
    parts = [f"# {title}"]
    for folder in folders:
        for name in modules(folder):
            members = "   :no-members:\n" if name.count(".") == folder.count("/") + 1 else ""
            parts.append(f"## `{name}`\n\n```{{eval-rst}}\n.. automodule:: {name}\n{members}```")
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """Return the reference's first page."""
    listed = "\n".join(FOLDERS)
    return (
        "# API reference\n\nMade from the docstrings. Modules that a script generates are left out.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    )


PAGES = {"docs/api/index.md": index} | {
    f"docs/api/{name}.md": lambda title=title, folders=folders: page(title, folders)
    for name, (title, folders) in FOLDERS.items()
}
