"""The folders import each other in one direction only, and `import tarsus` stays light."""

import ast
import functools
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

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
# arithmetic of the walkers' steps is compiled, an action of the legs corrects a controller, and `exact` is the engine
# behind the option of that name.
ALSO = {
    "envs/surrogate.py": {"analytic.contact", "analytic.models.quasistatic"},
    "envs/kernels.py": {"analytic.compilation"},
    "envs/leg_law.py": {"controllers.corrected"},
    "envs/hopping_leg.py": {"controllers.raibert"},
    "envs/slip_leg.py": {"controllers.slip"},
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


# The rooms of `scripts`, from the ground up: each imports those above its line here, also within functions.
ROOMS = [
    "scripts",  # where old import paths lead
    "scripts/library",
    "scripts/library/base",
    "scripts/suite",
    "scripts/suite/engines",
    "scripts/suite/making",
    "scripts/command",  # how words are read
    "scripts/library/reality",
    "scripts/library/records",
    "scripts/library/views",
    "scripts/library/machines",
    "scripts/library/comparison",
    "scripts/library/sliding",
    "scripts/library/own_robot",
    "scripts/library/learning",
    "scripts/library/certificates",
    "scripts/library/doctor",
    "scripts/library/search",
    "scripts/library/running",
    "scripts/laboratory/models",
    "scripts/laboratory/reality",
    "scripts/laboratory/sliding",
    "scripts/laboratory/studies",
    "scripts/laboratory",  # the frame of pages and figures
    "scripts/laboratory/figures",
    "scripts/laboratory/pages",
    "scripts/laboratory/benchmarks",
    "scripts/command/verbs",  # what is typed
]


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parent.as_posix()


def dotted(path: Path) -> str:
    return ".".join(("tarsus", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


def upward(room: str, name: str) -> bool:
    """Return whether a module lies in a room of `scripts` that is not below the one that imports it."""
    path = ROOT.joinpath(*name.split(".")[1:])
    other = room_of(path / "__init__.py" if path.is_dir() else path)
    if other not in ROOMS or other == room:
        return False
    return ROOMS.index(other) > ROOMS.index(room)


@functools.cache
def modules_imported(path: Path) -> frozenset[str]:
    """Return the dotted names of the package's modules that a file imports, lazy imports included, types left out."""
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
            names |= {name if is_module(name) else stem for name in whole}
    return frozenset(filter(is_module, names))


def is_module(name: str) -> bool:
    if not name.startswith("tarsus."):
        return False
    path = ROOT.joinpath(*name.split(".")[1:])
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


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


def on_tensors(path: Path) -> bool:
    """Return whether a file is of environments whose arrays are PyTorch's, and imported for these alone."""
    return path.relative_to(ROOT).as_posix().startswith(("envs/warp/", "envs/on_tensors.py"))


def forbidden(path: Path) -> set[str]:
    folder = path.relative_to(ROOT).parts[0]
    allowed = MAY_IMPORT[folder] | ALSO.get(path.relative_to(ROOT).as_posix(), set())
    bad = set()
    for name in imported_modules(path):
        root = name.partition(".")[0]
        if root in SIBLINGS - {folder}:
            if not any(name == ok or name.startswith(ok + ".") for ok in allowed):
                bad.add(name)
        elif root in MUST_NOT_IMPORT[folder] and not (root == "torch" and on_tensors(path)):
            bad.add(name)
    return bad


@pytest.mark.parametrize("folder", sorted(SIBLINGS))
def test_folders_import_in_one_direction(folder):
    found = {str(path): bad for path in (ROOT / folder).rglob("*.py") if (bad := forbidden(path))}
    assert not found


def test_the_rooms_of_scripts_import_those_below_them_only():
    found = {}
    for path in (ROOT / "scripts").rglob("*.py"):
        if bad := {name for name in modules_imported(path) if upward(room_of(path), name)}:
            found[path.relative_to(ROOT).as_posix()] = bad
    assert not found
    missing = {room_of(path) for path in (ROOT / "scripts").rglob("*.py")} ^ set(ROOMS)
    assert not missing, "rooms that are not ranked, or not there"


def check_circles() -> int:
    """Return the number of modules of the package; raise a `CycleError` that names those that import one another."""
    files = [path for folder in SIBLINGS for path in (ROOT / folder).rglob("*.py")]
    known = {dotted(path): modules_imported(path) for path in files}
    graphlib.TopologicalSorter({name: known.keys() & others - {name} for name, others in known.items()}).prepare()
    return len(known)


def test_no_modules_import_one_another_in_a_circle():
    assert check_circles() > 300


def test_the_check_of_rooms_sees_a_lazy_import_upward_and_a_circle(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    room = tmp_path / "scripts" / "library" / "records"
    room.mkdir(parents=True)
    (room / "record.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from tarsus.scripts.library.machines.slip_leg import A\n"
        "def layout():\n    from tarsus.scripts.library.machines import MACHINES\n    return MACHINES\n"
    )
    machines = tmp_path / "scripts" / "library" / "machines"
    machines.mkdir()
    (machines / "__init__.py").write_text("def run():\n    from ..records import record\n")
    lazy = modules_imported(room / "record.py")
    assert {name for name in lazy if upward("scripts/library/records", name)} == {"tarsus.scripts.library.machines"}
    assert not any(upward("scripts/library/machines", name) for name in modules_imported(machines / "__init__.py"))
    assert upward("scripts/suite", "tarsus.scripts.command.arguments")
    assert not upward("scripts/suite", "tarsus.scripts.library.base.stamp")
    with pytest.raises(graphlib.CycleError):
        check_circles()


def test_a_verb_says_what_is_typed_and_no_more():
    lines = {path.name: len(path.read_text().splitlines()) for path in (ROOT / "scripts/command/verbs").glob("*.py")}
    assert len(lines) > 10 and not {name: n for name, n in lines.items() if n > 60}


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
        gymnasium.make("MultipodQuasistatic-v1")
        print(before, "tarsus.envs.surrogate" in sys.modules)"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "True"]


def test_importing_tarsus_imports_nothing_heavy():
    heavy = ["mujoco", "numba", "torch", "matplotlib", "xarray", "scipy", "stable_baselines3"]
    code = f"import sys, tarsus; print([name for name in {heavy} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
