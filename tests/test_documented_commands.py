"""Every command that the pages and the scripts' docstrings show exists and takes its options.

Those that no other test runs to the end run here, on next to nothing: `SMOKE` has their smallest arguments, and what of
their modules is made smaller for want of an option.
"""

import argparse
import ast
import functools
import importlib
import itertools
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

from tarsus.controllers.path import Path as Way
from tarsus.envs import TASKS
from tarsus.envs.frozen import SEEDS
from tarsus.mjcf.presets import PRESETS
from tarsus.scripts.command import cli
from tarsus.scripts.laboratory import drawing
from tarsus.scripts.laboratory.benchmarks import derivatives
from tarsus.scripts.laboratory.pages import gallery as write_gallery
from tarsus.scripts.laboratory.pages import presets as gait_table
from tarsus.scripts.laboratory.pages import robot as robot_page
from tarsus.scripts.laboratory.pages import trust
from tarsus.scripts.laboratory.studies import rhex_walks
from tarsus.scripts.laboratory.studies.rhex_climbs import Climbed
from tarsus.scripts.library.learning import policies

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
COMMANDS = cli.commands()
BY_FILE = {path.relative_to(cli.FOLDER).as_posix(): name for name, path in COMMANDS.items()}
FIGURES = [name for name in COMMANDS if name.startswith("figure ")]

# What a reader puts in the place of words in capitals, and of names of things he has made.
EXAMPLES = {
    "figure NAME": "figure zeno_ball",
    "evaluate NAME": "evaluate clock",
    "train NAME": "train hexapod-gait",
    "crossvalidate NAME": "crossvalidate slip-leg",
    "crossvalidate FILE": "crossvalidate robot.xml",
    "run MACHINE": "run hopping-leg",
    "sweep MACHINE": "sweep slip-leg --set speed=1:1.1:2",
    "run NAME": "run slip-leg",
    "search NAME": "search gait",
    "run hexapod --gait NAME": "run hexapod --gait walk",
    "FIGURE": "zeno_ball",
    "--env NAME": "--env Hexapod-v0",
    "--gait NAME": "--gait tripod",
    "--preset NAME": "--preset rl",
    "--only NAME": "--only hexapod_pushes",
    "--certificates certificates": "--certificates out",
    "NAME=VALUE": "terrain=rough",
    "HOST:PORT": "localhost:8786",
    "FOLDER": "out",
    "POLICY": "clock",
    "RUN": "hexapod-gait",
    "SEED": "0",
    "N": "2",
}
DRAWN = ("page gallery", "page pictures")  # by OpenGL

RL = {"rl": PRESETS["rl"]}
ONE_CLIP = {"slipleg": write_gallery.FILMED["slipleg"]}
ONE_WALK = {"rhex_stairs": (*write_gallery.WALKED["rhex_stairs"][:3], 0.0, 1.0)}  # from its beginning
ALL_CASES = gait_table.cases
CONNECTION = "tarsus.scripts.laboratory.studies.connection"
SHORT = {"sine": Way([[0.0, 0.0], [0.15, 0.0], [0.3, 0.001]], 0.05)}
SWEEP = "tarsus.scripts.laboratory.studies.contact_sweep"


def few_cases():
    """Return a few seconds of a gait, a slope and two turns."""
    return [replace(case, seconds=4.0) for case in ALL_CASES()[::7]]


@functools.cache
def one_second():
    """Return what a second of RHex's walk measures, for every walk of its page."""
    return rhex_walks.measure(rhex_walks.RhexWalk(robot_page.SPEED_2, robot_page.RHEX, seconds=1.0), "MuJoCo")


# Smallest arguments of a subcommand, and what stands in for want of a smaller option.
# OUT is a folder with copies of the pages that commands write to.
DITCH = "tarsus/HoppingDitch-v0"
SMOKE: dict[str, tuple[str, dict[str, Any]]] = {
    "benchmark contact": (
        "--out OUT/threads",
        dict(FRAMES=10, THREADED=100, CALLS=10, BATCHES=(4, 8), PATHS=(3, 4)),
    ),
    "benchmark derivatives": (
        "--repeats 1",
        dict(RUNS={"SLIP": functools.partial(derivatives.slip_run, 1)}, TABLES=(10,)),
    ),
    "benchmark env": ("--seconds 0.1 --repeats 1", {}),
    "benchmark engines": ("--engines mujoco --feet 4 --robots 1 --write --docs OUT", {}),
    "benchmark gpu": (
        f"--num-envs 2 --terrains flat --steps 1 --repeats 1 --policy {ROOT}/docs/data/gpu --walk 2 --write --docs OUT",
        {},
    ),
    "benchmark hybrid": ("--repeats 1", dict(EVENTS=64, FIRST_CALLS=1)),
    "benchmark legs": ("--repeats 1", dict(N_STEPS=2, N_ACTIONS=10)),
    "benchmark surrogate": ("--legs 6 --num-envs 2 --repeats 1", {}),
    "benchmark vector": ("--num-envs 4 --async-envs 2 --steps 4 --repeats 1", {}),
    "page architecture": ("--write --docs OUT", {}),
    "page warp": ("--walks 1 --seconds 0.04 --write --docs OUT", {}),
    "page tasks": (
        "--write --docs OUT",
        dict(TASKS={DITCH: TASKS[DITCH]}, SEEDS=SEEDS[:1], ALL=("zero",), PLAYED={}),
    ),
    "page policies": ("--policies walk --seeds 1 --sizes 1 --trials 1 --write --docs OUT", {}),
    "page contact": (
        "--write --docs OUT --jobs 1",
        {"settings": lambda: RL, f"{SWEEP}.SECONDS": 5.0, f"{SWEEP}.ROUNDS": 1},
    ),
    "page connection": (
        "--write --docs OUT --data OUT/data --runs 1 --losses 1",
        {
            "LEGS": (6,),
            "PATHS": SHORT,
            "COMPARED": ("straight", *SHORT),
            "SEEDS": 1,
            f"{CONNECTION}.PATHS": SHORT,
            f"{CONNECTION}.STRAIGHT": Way([[0.0, 0.0], [0.3, 0.0]], 0.05),
            f"{CONNECTION}.BEGUN": 1.0,
            f"{CONNECTION}.WATCHED": 10.5,
            f"{CONNECTION}.SOUND": 1.0,
            f"{CONNECTION}.TOLD": 0.5,
            f"{CONNECTION}.WET_FOR": 1.0,
            f"{CONNECTION}.WET_TOLD": 1.0,
            f"{CONNECTION}.LOADED": 1.0,
            f"{CONNECTION}.GENERATIONS": 1,
            f"{CONNECTION}.TIMED": 3,
        },
    ),
    "evaluate": ("clock --seeds 1", {}),
    "page presets": ("--write --docs OUT --jobs 1", dict(PRESETS=RL, cases=few_cases)),
    "page hexapod_studies": ("--into OUT/hexapod_studies.md --data OUT/data --only hexapod_pushes", {}),
    "page hopping_leg": ("--write --docs OUT", dict(N_HOPS=12, SPEEDS=(0.5,), PRESETS=("rl",))),
    "search multipod": ("--legs 6 --generations 1 --out OUT/best", {}),
    "search gait": (
        "--num-envs 8 --generations 1 --steps 5 --threads 1",
        {"tarsus.scripts.library.search.gait.EPISODE": 20},
    ),
    "contact-suite": ("--case block_stops --setting stiff --out OUT/suite", {}),
    "page contact_cases": ("--write --docs OUT", {}),
    "page contact_suite": ("--write --docs OUT", {}),
    "page contact_doctor": ("--write --docs OUT", dict(RESTITUTIONS=(0.9,), HEIGHTS=(0.5,))),
    "contact-doctor": (f"{ROOT}/mjcf/assets/complaints/mesh_box.xml --seconds 0.1 --out OUT/doctor", {}),
    "page reality": ("--write --docs OUT", {}),
    "reality": ("--tosses 2 --convention corrected --out OUT/reality", {}),
    "page robot": ("--write --docs OUT --jobs 1", dict(measure=lambda walk, engine: one_second())),
    "page rhex_found": ("--write --docs OUT --jobs 1", dict(measure=lambda walk, engine: one_second())),
    "page rhex_climbs": (
        "--write --docs OUT --starts 1 --jobs 1",
        dict(climb=lambda case, seed: Climbed(10.0, 1.0, 12.0)),
    ),
    "page slip_leg": ("--write --docs OUT", dict(N_STEPS=2)),
    "search sweep": ("--cycle-times 1 --sweep-angles 0.75 --steps 5", {}),
    "train": ("hexapod-gait --num-envs 2 --steps 1 --threads 1 --out OUT", {}),
    "page verdicts": (
        "--write --docs OUT --preset rl --jobs 1",
        dict(CYCLE_TIMES=(0.5,), SWEEP_ANGLES=(0.75,), DUTIES=(0.6,)),
    ),
    "page walkers": ("--legs 6 --seconds 6 --format csv", {}),
    "page gallery": (
        "--write --docs OUT",
        dict(names=lambda: ["zeno_ball"], FILMED=ONE_CLIP, WALKED=ONE_WALK, CLIP_SECONDS=0.1, TASK_BEGINS=0.0),
    ),
    "page pictures": ("--only bigant --out OUT", {}),
}


def shown(page: Path) -> Iterator[str]:
    """Return the commands of a page: lines of fenced blocks, and code between backticks."""
    language, prose = None, []
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            language = line.strip("` ") if language is None else None
        elif language in ("", "sh"):
            yield line
        elif language is None:
            prose.append(line)
    yield from re.findall(r"`([^`]+)`", "\n".join(prose))


def usages(script: Path) -> Iterator[str]:
    """Return the command line that a script's docstring names under `Usage:`, with its options over several lines."""
    text = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    yield from re.findall(r"Usage: (.*?)(?=(?<!\.)\.(?:\s|$)|;|\n(?! *\[)|$)", text, flags=re.DOTALL)


def normalised(line: str) -> str | None:
    """Return the words after `tarsus`, with examples for what a reader fills in; None if it is another command."""
    line = " ".join(re.sub(r"(^|\s)#.*", "", line).split())
    line = re.sub(r"^(\S*/)?python3? (\S*/)?scripts/(\S+\.py)", lambda match: f"tarsus {BY_FILE[match[3]]}", line)
    if not re.match(r"(\S*/)?tarsus( |$)", line):
        return None
    words = line.partition("tarsus")[2]
    words = re.sub(r"\.\.+|[\[\]]", " ", words)
    words = re.sub(r"(?<=[\w])\|\S+", "", words)  # the first of several choices
    words = " ".join(words.split())
    for placeholder, example in EXAMPLES.items():
        words = re.sub(rf"(?<!\S){placeholder}(?!\S)", example, words)
    return words


def documented() -> list[tuple[str, str]]:
    """Return every documented command once, with the first place that shows it."""
    lines = [(page, line) for page in PAGES for line in shown(page)]
    lines += [(path, line) for path in COMMANDS.values() for line in usages(path)]
    found: dict[str, str] = {}
    for path, line in lines:
        words = normalised(line)
        if words:
            found.setdefault(words, str(path.relative_to(ROOT)))
    return sorted(found.items())


def subcommand(words: list[str]) -> tuple[str, list[str]]:
    """Return the subcommand that the leading words spell, and the other words."""
    name, n_words = cli.find(words)
    return name, words[n_words:]


def module(name: str):
    """Return the module behind a subcommand."""
    return importlib.import_module(cli.module_of(COMMANDS[name]))


class Parsed(Exception):
    """The options were accepted."""


def test_there_are_documented_commands():
    names = {subcommand(words.split())[0] for words, _ in documented()}
    assert len(documented()) > 100 and {"run hexapod", "train", "figure zeno_ball", "benchmark hybrid"} <= names


@pytest.mark.parametrize(("words", "where"), documented())
def test_a_documented_command_exists_and_takes_its_options(words, where, monkeypatch, tmp_path):
    for folder in ("docs", EXAMPLES["FOLDER"]):  # some must be there: a page is written into, certificates are read
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path)
    name, options = subcommand(shlex.split(words))
    if not name:  # a group of them, `tarsus figure hexapod ...`
        assert not words or any(known.startswith(words) for known in COMMANDS), f"{where}: tarsus {words}"
        return
    parse = argparse.ArgumentParser.parse_args

    def stop(*args, **kwargs):
        parse(*args, **kwargs)
        raise Parsed

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    with pytest.raises((Parsed, SystemExit)) as end:
        cli.main_of(name, COMMANDS.get(name))(options)
    assert getattr(end.value, "code", 0) == 0, f"{where}: tarsus {words}"


def test_documented_policies_exist():
    for words, where in documented():
        name, options = subcommand(words.split())
        named = options[:1] if name == "evaluate" else []
        if "--policies" in options:
            named = itertools.takewhile(
                lambda word: not word.startswith("--"), options[options.index("--policies") + 1 :]
            )
        for policy in named:
            own = "/" in policy or ":" in policy or policy.endswith((".zip", ".onnx"))  # the reader's
            if name == "page trust":  # which knows hand-made ones by name in their own environments
                assert trust.candidate_of(policy), where
            elif not own and not policy.startswith("--"):
                environment = options[options.index("--env") + 1] if "--env" in options else None
                assert policies.find(policy, environment, {}), where


@pytest.mark.parametrize("name", drawing.names())
def test_every_figure_is_drawn_from_what_is_stored(name, tmp_path, monkeypatch):
    made = drawing.load(name)
    with np.load(ROOT / "tests" / "golden" / f"figure_{name}.npz") as stored:
        data = dict(stored)
    for key in getattr(made, "MEASURED", ()):
        data[key] = np.linspace(1.0, 2.0, len(next(iter(data.values()))))
    monkeypatch.setattr(made, "compute", functools.wraps(made.compute)(lambda **options: data))
    assert drawing.main(made, ["--out", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.npz", f"{name}.png", "result.json"}
    pyplot.close("all")


def smoke_cases() -> list:
    """Return the names in SMOKE; those that need an OpenGL library are marked."""
    return [pytest.param(name, marks=[pytest.mark.render] * (name in DRAWN)) for name in SMOKE]


@pytest.mark.parametrize("name", smoke_cases())
def test_a_subcommand_runs(name, tmp_path, monkeypatch):
    (tmp_path / "figures").mkdir()
    (tmp_path / "data").mkdir()
    for page in (ROOT / "docs").glob("*.md"):
        shutil.copy(page, tmp_path)
    shutil.copy(ROOT / "tests" / "golden" / "figure_hexapod_pushes.npz", tmp_path / "data" / "hexapod_pushes.npz")
    arguments, smaller = SMOKE[name]
    for attribute, value in smaller.items():
        monkeypatch.setattr(attribute if "." in attribute else f"{module(name).__name__}.{attribute}", value)
    assert cli.main_of(name, COMMANDS[name])(arguments.replace("OUT", str(tmp_path)).split()) in (0, None)
