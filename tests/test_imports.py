"""The folders import each other in one direction only, no modules in a circle, and `import tarsus` stays light.

Imports within functions count, those for types alone do not.
"""

import ast
import functools
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = {"analytic", "mjcf", "controllers", "envs", "scripts"}
PLAIN = {
    f"analytic.{name}"
    for name in "models terrain clock rhex_gaits undulation motor battery finite spelling compilation.extras".split()
}

# What each folder may import: others (all, or single modules of one), and third-party packages it must not.
MAY_IMPORT = {
    "analytic": set(),
    "mjcf": {"analytic.articulated", "analytic.models", "analytic.terrain", "analytic.finite", "analytic.spelling"},
    "controllers": {"analytic"},
    "envs": {"mjcf"} | PLAIN,
    "scripts": FOLDERS,
}
# The files that may import what their folder may not: the surrogate is the contact solver as an environment, the
# arithmetic of the walkers' steps is compiled, an action of the legs corrects a controller, and `exact` is the engine
# behind the option of that name.
ALSO = {
    "envs/surrogate.py": {"analytic.contact", "analytic.models.quasistatic"},
    "envs/kernels.py": {"analytic.compilation"},
    "envs/leg_law.py": {"controllers.corrected"},
    "envs/hopping_leg.py": {"controllers.raibert"},
    "envs/slip_leg.py": {"controllers.slip"},
    "envs/exact/articulated.py": {"analytic.articulated"},
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
ON_TENSORS = ("envs/warp/", "envs/on_tensors.py")  # whose arrays are PyTorch's, and which are imported for these alone
# The rooms of `scripts`, from the ground up: each imports those above its line here.
ROOMS = """scripts scripts/library scripts/library/base scripts/suite scripts/suite/engines scripts/suite/making
scripts/command scripts/library/reality scripts/library/records scripts/library/views scripts/library/machines
scripts/library/comparison scripts/library/sliding scripts/library/own_robot scripts/library/learning
scripts/library/stability scripts/library/certificates scripts/library/doctor scripts/library/search
scripts/library/running
scripts/laboratory/models scripts/laboratory/reality scripts/laboratory/sliding scripts/laboratory/studies
scripts/laboratory/try_it
scripts/laboratory scripts/laboratory/figures scripts/laboratory/pages scripts/laboratory/benchmarks
scripts/command/verbs""".split()
FILES = [path for folder in sorted(FOLDERS) for path in (ROOT / folder).rglob("*.py")]


def path_of(name: str) -> Path | None:
    """Return the file of a module of the package by its dotted name, None if it is no such module."""
    path = ROOT.joinpath(*name.split(".")[1:])
    found = [path.with_suffix(".py"), path / "__init__.py"] if name.startswith("tarsus.") else []
    return next((path for path in found if path.exists()), None)


def dotted(path: Path) -> str:
    return ".".join(("tarsus", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


@functools.cache
def imports(path: Path) -> frozenset[str]:
    """Return the dotted names of the modules that a file imports, relative ones resolved."""
    package, tree = ("tarsus", *path.relative_to(ROOT).parent.parts), ast.parse(path.read_text(encoding="utf-8"))
    types = [part for part in ast.walk(tree) if isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING"]
    skipped = {id(node) for part in types for node in ast.walk(part)}
    names = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join((*base, *((node.module,) if node.module else ())))
            whole = {f"{stem}.{alias.name}" for alias in node.names}
            names |= {name if path_of(name) else stem for name in whole}
    return frozenset(names)


def is_forbidden(path: Path, name: str) -> bool:
    """Return whether a file's folder may not import the module of that name."""
    file, (first, _, rest) = path.relative_to(ROOT).as_posix(), name.partition(".")
    folder = file.partition("/")[0]
    if first != "tarsus":
        return first in MUST_NOT_IMPORT[folder] and not (first == "torch" and file.startswith(ON_TENSORS))
    allowed = MAY_IMPORT[folder] | ALSO.get(file, set()) | {folder}
    return rest.partition(".")[0] in FOLDERS and not any(f"{rest}.".startswith(f"{one}.") for one in allowed)


@pytest.mark.parametrize("folder", sorted(FOLDERS))
def test_folders_import_in_one_direction(folder):
    files = [path for path in FILES if path.is_relative_to(ROOT / folder)]
    found = {(dotted(path), name) for path in files for name in imports(path) if is_forbidden(path, name)}
    assert files and not found


def test_the_rooms_of_scripts_import_those_below_them_only():
    rank = {dotted(path): ROOMS.index(path.relative_to(ROOT).parent.as_posix())
            for path in FILES if path.is_relative_to(ROOT / "scripts")}  # fmt: skip
    assert not {(name, other) for name in rank for other in imports(path_of(name)) if rank.get(other, -1) > rank[name]}


def test_no_modules_import_one_another_in_a_circle():
    known = {dotted(path): imports(path) for path in FILES}
    graphlib.TopologicalSorter({name: known.keys() & others - {name} for name, others in known.items()}).prepare()


def test_oracles_import_nothing_from_tarsus():
    for path in (ROOT / "tests" / "oracles").rglob("*.py"):
        assert "tarsus" not in path.read_text(encoding="utf-8"), path


def test_what_is_heavy_is_imported_by_who_asks_for_it(new_process):
    code = """if True:
        import sys, tarsus
        heavy = ["mujoco", "numba", "torch", "matplotlib", "xarray", "scipy", "stable_baselines3", "tarsus.scripts"]
        tarsus.hybrid
        print([name for name in heavy if name in sys.modules])
        import gymnasium, tarsus.envs.hexapod
        print("numba" in sys.modules)
        gymnasium.make("MultipodQuasistatic-v1")
        print("tarsus.envs.surrogate" in sys.modules)"""
    done = new_process(code)
    assert done.stdout.split("\n")[:3] == ["[]", "False", "True"], done.stdout + done.stderr


def test_a_machine_in_mujoco_reads_no_exact_engine():
    code = "import sys, tarsus.scripts.library.running.run; print('tarsus.analytic.hybrid.simulator' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
