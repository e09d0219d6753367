"""The folders import each other in one direction only, and `import tarsus` stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tarsus.scripts.command import cli

ROOT = Path(__file__).parents[1]
SIBLINGS = {"analytic", "mjcf", "controllers", "envs", "scripts"}
PLAIN = {"models", "terrain", "clock", "rhex_gaits", "undulation", "motor", "battery", "finite"}
PLAIN = {f"analytic.{name}" for name in PLAIN}

# What each folder may import: siblings (all, or single modules of one), and third-party packages it must not.
MAY_IMPORT = {
    "analytic": set(),
    "mjcf": {"analytic.models", "analytic.terrain", "analytic.finite"},
    "controllers": {"analytic"},
    "envs": {"mjcf"} | PLAIN,
    "scripts": SIBLINGS,
}
# The files that may import what their folder may not: the surrogate is the contact solver as an environment, the
# arithmetic of the walkers' steps is compiled, and `exact` is the engine behind the option of that name.
ALSO = {
    "envs/surrogate.py": {"analytic.contact", "analytic.models.quasistatic"},
    "envs/kernels.py": {"analytic.compilation"},
} | {
    f"envs/exact/{name}.py": {"analytic.hybrid", "analytic.compilation"}
    for name in ("machine", "runs", "hexapod", "legs")
}
MUST_NOT_IMPORT = {
    "analytic": {"mujoco", "gymnasium", "matplotlib", "stable_baselines3", "torch"},
    "mjcf": {"gymnasium", "matplotlib", "stable_baselines3", "torch"},
    "controllers": {"mujoco", "gymnasium", "matplotlib", "stable_baselines3", "torch"},
    "envs": {"matplotlib", "stable_baselines3", "torch"},
    "scripts": set(),
}


def imported_modules(path: Path) -> set[str]:
    """Return the dotted names a module imports, siblings without the leading `tarsus.`."""
    package = path.relative_to(ROOT).parent.parts
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join((*base, *((node.module,) if node.module else ())))
            names |= {f"{stem}.{alias.name}" if stem in SIBLINGS or not stem else stem for alias in node.names}
    return {name.removeprefix("tarsus.") for name in names}


def forbidden(path: Path) -> set[str]:
    folder = path.relative_to(ROOT).parts[0]
    allowed = MAY_IMPORT[folder] | ALSO.get(path.relative_to(ROOT).as_posix(), set())
    bad = set()
    for name in imported_modules(path):
        root = name.partition(".")[0]
        if root in SIBLINGS - {folder}:
            if not any(name == ok or name.startswith(ok + ".") for ok in allowed):
                bad.add(name)
        elif root in MUST_NOT_IMPORT[folder]:
            bad.add(name)
    return bad


@pytest.mark.parametrize("folder", sorted(SIBLINGS))
def test_folders_import_in_one_direction(folder):
    found = {str(path): bad for path in (ROOT / folder).rglob("*.py") if (bad := forbidden(path))}
    assert not found


def test_what_scripts_share_imports_no_script():
    verbs = {command: command.partition(" ")[0] for command in cli.commands()}
    own = {verb: cli.FOLDER / cli.VERB_FILES / f"{verb}.py" for verb, described in cli.VERBS.items() if described.own}
    paths = {own.get(verbs[command], path) for command, path in cli.commands().items()}
    commands = {cli.module_of(path).removeprefix("tarsus.") for path in paths}
    shared = [path for path in cli.FOLDER.rglob("*.py") if path not in paths and path.name != "cli.py"]
    assert len(shared) > 20 and len(commands) > 50
    assert not {str(path): bad for path in shared if (bad := imported_modules(path) & commands)}


def test_oracles_import_nothing_from_tarsus():
    for path in (ROOT / "tests" / "oracles").rglob("*.py"):
        assert "tarsus" not in path.read_text(encoding="utf-8"), path


def test_the_import_check_sees_a_forbidden_import(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    module = tmp_path / "envs" / "bad.py"
    module.parent.mkdir()
    module.write_text(
        "from ..analytic import hybrid\nfrom ..analytic import terrain\nfrom tarsus.controllers.clock import X\n"
    )
    assert forbidden(module) == {"analytic.hybrid", "controllers.clock"}


def test_environments_bring_numba_only_when_they_are_made():
    code = """if True:
        import sys, gymnasium, tarsus, tarsus.envs.hexapod
        before = "numba" in sys.modules
        gymnasium.make("MultipodQuasistatic-v0")
        print(before, "tarsus.envs.surrogate" in sys.modules)"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "True"]


def test_importing_tarsus_imports_nothing_heavy():
    heavy = ["mujoco", "numba", "torch", "matplotlib", "xarray", "scipy", "stable_baselines3"]
    code = f"import sys, tarsus; print([name for name in {heavy} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
