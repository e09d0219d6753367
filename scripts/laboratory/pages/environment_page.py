"""The page of an environment: words from `environments/`, tables from the environment itself.

A file `environments/NAME.md` holds the words on the environment of the module `envs/NAME.py`, in sections that begin
with a line `<!-- SECTION -->`. They go before those of the file named in `like`, and these before those of `page.md`,
which has the page itself and what an environment need not say. In braces stand attributes of `env`, and the tables
below. An environment without a file gets a page of what its task and its docstrings say.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tarsus.envs import ENVIRONMENTS, SURROGATES
from tarsus.scripts.laboratory.pages import reward_scale
from tarsus.scripts.library.base.stamp import markdown_table

if TYPE_CHECKING:
    from tarsus.envs.observations import Observation

FOLDER = Path(__file__).parent / "environments"
SHARED = "docs/envs/index.md"  # what holds for all environments
SHARED_INFO = {
    "time": "since the episode's start [s]",
    "termination": "why the episode terminated, or an empty string",
    "truncation": "why it was truncated, but for the time limit, or an empty string",
    "reward_NAME": "the weighted reward terms",
}
MACHINE_INFO = {
    "speed": "forward, along the world's axis faced at the start, or along the rail; mean of the control period [m/s]",
    "distance": "along the same since the start [m]",
    "command": "commanded forward speed [m/s], and yaw rate of a free body [rad/s]",
    "foot_contact": "which feet touch the ground, (n_feet,)",
    "foot_force": "of the ground on each foot, world frame [N], (n_feet, 3); of the last substep, as MuJoCo's sensors",
    "torque": "of the driven joints, after the motors' limits [N m]",
}


def place(name: str) -> str:
    """Return the path of an environment's page: docs/envs/ and its module's name."""
    return f"docs/envs/{file_of(name).stem}.md"


def page(name: str) -> str:
    """Return the page of a registered environment."""
    import gymnasium

    import tarsus  # noqa: F401  registers the environments

    env, path = gymnasium.make(name), file_of(name)
    words = words_of(name, env)
    values = {
        "name": name,
        "env": env.unwrapped,
        "source": words.pop("source", f"scripts/laboratory/pages/environments/{path.name}"),
    }
    values |= _surrogate_tables(env) if name in SURROGATES else _tables(env)
    values |= OWN.get(path.stem, lambda env: {})(env.unwrapped)
    values["info_table"] = _info_table(own_info(words))
    text = words.pop("page")
    filled = {section: said.format(**words | values) for section, said in words.items()}
    return re.sub(r"\n{3,}", "\n\n", text.format(**values | filled)) + "\n"


def shared_page() -> str:
    """Return the page of what holds for all environments."""
    from tarsus.analytic.terrain import TERRAINS
    from tarsus.envs import shaping
    from tarsus.envs.walker import WalkerConfig
    from tarsus.mjcf.presets import PRESETS
    from tarsus.mjcf.terrain import EDGE

    values = {
        "shaping_table": _shaping_table(shaping.BODY | shaping.POWER),
        "edge": EDGE,
        "argument_table": markdown_table(("argument", "default", "meaning"), shared_rows()),
        "fixed": _names(sorted(WalkerConfig.FIXED)),
        "terrains": _names(TERRAINS),
        "presets": _names(PRESETS),
        "info_table": _info_table(SHARED_INFO),
        "machine_info_table": _info_table(MACHINE_INFO),
    }
    return (FOLDER / "shared.md").read_text(encoding="utf-8").format(**values)


def shared_rows() -> list[tuple[str, str, str]]:
    """Return the arguments that a walker has like all others: a machine's page has those that differ.

    They are a class's and no statistics over the machines: another machine changes neither this page nor others.
    """
    from tarsus.envs.walker import WalkerConfig

    return [row for row in argument_rows(WalkerConfig) if row[0] != "`action_mode`"]


def words_of(name: str, env) -> dict[str, str]:
    """Return the sections of an environment's page: as somebody wrote them, or what its code says."""
    path = file_of(name)
    return sections(path) if path.exists() else sections(FOLDER / "page.md") | _plain(name, env)


def sections(path: Path) -> dict[str, str]:
    """Return the sections of a file of words, and of those it is like."""
    parts = re.split(r"^<!-- (\w+) -->\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    words = {name: text.strip("\n") for name, text in zip(parts[1::2], parts[2::2], strict=True)}
    like = words.pop("like", "page")
    return words if path.stem == "page" else sections(FOLDER / f"{like}.md") | words


def info(words: dict[str, str]) -> dict[str, str]:
    """Return the table of the entries of `info`."""
    return own_info(words) | SHARED_INFO | (MACHINE_INFO if words["machine_info"] else {})


def own_info(words: dict[str, str]) -> dict[str, str]:
    """Return the entries of `info` that the environment's own page describes."""
    return dict(line.split(": ", 1) for line in words["info"].splitlines())


def _module(name: str) -> str:
    return (ENVIRONMENTS | SURROGATES)[name]["entry_point"].partition(":")[0]


def file_of(name: str) -> Path:
    """Return the path of the words on an environment, which may not be there."""
    return FOLDER / f"{_module(name).rpartition('.')[2]}.md"


def _plain(name: str, env) -> dict[str, str]:
    """Return the sections of an environment for which nobody wrote any: all that its task and configuration say."""
    env.reset(seed=0)
    entries, task = env.step(env.action_space.sample())[4], env.unwrapped.task
    shapes = {
        key: f"shape {value.shape}" if getattr(value, "shape", ()) else "a number" for key, value in entries.items()
    }
    told = {key: shape for key, shape in shapes.items() if key not in SHARED_INFO and not key.startswith("reward_")}
    words = {
        "source": f"{_module(name).removeprefix('tarsus.').replace('.', '/')}.py",
        "description": inspect.getdoc(importlib.import_module(_module(name))) or "",
        "actions": f"A `Box` of {env.action_space.shape[0]} from -1 to 1. Actions beyond the box are clipped to it.",
        "start": (inspect.getdoc(task.place) or "").partition("\n")[0],
        "ends": "with " + ", ".join(f'`"{why}"`' for why in task.failures()),
        "info": "\n".join(f"{key}: {shape}" for key, shape in told.items()),
    }
    return {section: text.replace("{", "{{").replace("}", "}}") for section, text in words.items()}


def _tables(env) -> dict[str, Any]:
    """Return the numbers and tables on every page of an environment in MuJoCo."""
    from tarsus.envs.walker import WalkerConfig

    task = env.unwrapped.task
    known, config = task.machine_entries(), task.config
    options = {"action_mode": getattr(config, "action_mode", None), "task": config.task}
    rows, said = argument_rows(type(config)), {(name, text): default for name, default, text in shared_rows()}
    fixed = {f"`{name}`" for name in set(config.FIXED) - set(WalkerConfig.FIXED)}
    own = [(name, default, f"{text}; fixed by `make`" if name in fixed else text)
           for name, default, text in rows if (name, text) not in said]  # fmt: skip
    other = [f"{name} {default}" for name, default, text in rows if said.get((name, text), default) != default]
    return {
        "default_options": " and ".join(f'`{name}="{value}"`' for name, value in options.items() if value),
        "size": env.observation_space.shape[0],
        "observation_table": observation_table(known, task.default_observations()),
        "reward_table": _reward_table(config.REWARDS),
        "reward_words": reward_scale.words(config.REWARDS, env.spec.max_episode_steps, config, task.command_ranges),
        "max_steps": env.spec.max_episode_steps,
        "seconds": env.spec.max_episode_steps * env.unwrapped.ctrl_dt,
        "argument_table": markdown_table(("argument", "default", "meaning"), own) if own else "",
        "own_defaults": f"Other defaults of [all arguments](index.md#arguments): {', '.join(other)}." if other else "",
        "randomisable": _names(config.randomisable()),
    }


def observation_table(known: dict[str, Observation], default: Sequence[str]) -> str:
    """Return the Markdown table of all entries: first the default ones, with their places; of others the size."""
    from tarsus.envs.observations import slices

    rows = ["| entries | name | meaning | unit | typical |", "|---|---|---|---|---|"]
    places = slices({name: known[name] for name in default})
    for name in [*default, *(name for name in known if name not in default)]:
        entry = known[name]
        where = f"{places[name].start}:{places[name].stop}" if name in places else f"({entry.size})"
        meaning = f"{entry.text}; needs {entry.needs}" if entry.needs else entry.text
        rows.append(f"| {where} | `{name}` | {meaning} | {entry.unit} | {entry.typical:g} |")
    return "\n".join(rows)


def _surrogate_tables(env) -> dict[str, Any]:
    """Return the tables of an environment without a simulation."""
    from tarsus.envs import surrogate

    config = env.unwrapped.vector.config
    return {
        "config": config,
        "joints": _names(env.unwrapped.vector.action_names[:3]),
        "n_joints": len(env.unwrapped.action_names) - 1,
        "speed": surrogate.SPEED,
        "size": env.observation_space.shape[0],
        "reward_table": _reward_table({"weight": config.REWARDS}),
        "argument_table": markdown_table(("argument", "default", "meaning"), field_rows(type(config))),
    }


def _hexapod(env) -> dict[str, str]:
    from tarsus.envs.hexapod_clocks import GAIT_RANGES, RHEX_RANGES

    ranges = [{name: f"{low:g} to {high:g}" for name, (low, high) in of.items()} for of in (GAIT_RANGES, RHEX_RANGES)]
    rows = [(f"`{name}`", *(of.get(name, "-") for of in ranges)) for name in RHEX_RANGES | GAIT_RANGES]
    return {"gait_table": markdown_table(("gait parameter", "range", 'with `clock="rhex"`'), rows)}


def _hopping_leg(env) -> dict[str, Any]:
    from tarsus.mjcf import hopping_leg as model

    leg = env.params
    corner = (leg.stall_torque - leg.rated_torque) / leg.back_emf
    power = (leg.rated_torque * corner).max()
    stops = {"machine_ranges": model.JOINT_RANGES, "stop_stiffness": model.STOP_STIFFNESS}
    return stops | {"corner": corner, "no_load": leg.stall_torque / leg.back_emf, "power": power}


def _slip_leg(env) -> dict[str, Any]:
    from tarsus.controllers.slip import SLOWEST
    from tarsus.envs import slip_leg as machine
    from tarsus.mjcf import slip_leg

    presets = [dataclasses.asdict(preset) for preset in slip_leg.PRESETS.values()]
    rows = [(name, *(preset[name] for preset in presets)) for name in presets[0]]
    alike = [f"`{name}` {cells[0]}" for name, *cells in rows if len({*map(str, cells)}) == 1 and cells[0]]
    return {
        "machine": machine,
        "model": slip_leg,
        "slowest": SLOWEST,
        "preset_table": markdown_table(
            ("setting", *slip_leg.PRESETS), [row for row in rows if len({*map(str, row[1:])}) > 1]
        ),
        "alike": ", ".join(alike),
    }


def _walker(env) -> dict[str, Any]:
    layout, ranges = env.task.layout_of(env.task.config.robot), env.task.gait_ranges
    return {
        "n_joints": len(layout.joints),
        "n_gait": len(ranges),
        "gait_table": _gait_table(ranges, comments_of(type(env.task))),
        "joints": _names(layout.joints),
        "legs": _names(layout.legs),
        "a_name": f"foot_contact.{layout.legs[0]}",
        "machine": importlib.import_module(type(env.task).__module__),
    }


def _own_robot(env) -> dict[str, Any]:
    task = env.task
    return {"n_actions": task.n_actions, "actuators": _names(task.actuators), "period": task.corrections.period}


OWN = {
    "hexapod": _hexapod,
    "hopping_leg": _hopping_leg,
    "slip_leg": _slip_leg,
    "multipod": _walker,
    "bigant": _walker,
    "dog": _own_robot,
}


def _gait_table(ranges, meaning: dict[str, str] | None = None) -> str:
    rows = [(f"`{name}`", f"{low:g}", f"{high:g}", (meaning or {}).get(name)) for name, (low, high) in ranges.items()]
    head, last = ("gait parameter", "low", "high", "meaning"), 4 if meaning else 3
    return markdown_table(head[:last], [row[:last] for row in rows])


def _reward_table(rewards) -> str:
    """Return the table of terms with their weight in each task; a term that tasks weigh otherwise has two rows."""
    terms: dict[tuple[str, str], dict[str, str]] = {}
    for task, of_task in rewards.items():
        for name, (weight, text) in of_task.items():
            terms.setdefault((name, text), {})[task] = f"{weight:g}"
    rows = [(f"`{name}`", *(of.get(task, "-") for task in rewards), text) for (name, text), of in terms.items()]
    heads = [f"`{task}`" if len(rewards) > 1 else "weight" for task in rewards]
    return markdown_table(("term", *heads, "what is weighed"), rows)


def _shaping_table(terms) -> str:
    rows = [(f"`{name}`", text) for name, (_, text) in terms.items()]
    return markdown_table(("term", "what is weighed"), rows)


def _info_table(entries: dict[str, str]) -> str:
    return markdown_table(("key", "meaning"), [(f"`{key}`", text) for key, text in entries.items()])


def _names(names) -> str:
    return ", ".join(f"`{name}`" for name in names)


def comments_of(described: type) -> dict[str, str]:
    """Return the comment behind each field of a class, or key of a dictionary in it, from its source and its bases."""
    comments = {}
    for base in reversed(described.__mro__[:-1]):
        if not base.__module__.startswith("tarsus."):
            continue
        for line in inspect.getsource(base).splitlines():
            name, _, rest = line.strip().partition(":")
            if "#" in rest:
                comments[name.strip('"')] = rest.partition("#")[2].strip()
    return comments


def argument_rows(config: type) -> list[tuple[str, str, str]]:
    """Return the rows of an environment in MuJoCo: those of its images, and of its configuration."""
    rows = [("`render_mode`", "`None`", '`"human"`, `"rgb_array"` or `"depth_array"`')]
    rows += [("`width`, `height`, `camera`", '`640`, `480`, `"follow"`', 'of images; the other camera is `"side"`')]
    rows += [("`forces`", "`False`", "contact forces are drawn as arrows")]
    return rows + field_rows(config)


def field_rows(config: type) -> list[tuple[str, str, str]]:
    """Return name, default and comment of every field of a configuration."""
    comments, rows = comments_of(config), []
    for entry in dataclasses.fields(config):
        if entry.default is dataclasses.MISSING:
            default = f"{entry.default_factory.__name__}()"
        elif hasattr(entry.default, "motor_mode"):
            default = f'{type(entry.default).__name__}(motor_mode="{entry.default.motor_mode}", ...)'
        else:
            default = repr(entry.default)
        rows.append((f"`{entry.name}`", f"`{default}`", comments[entry.name]))
    return rows
