"""The pages of the API reference: the public names of each part of the library, with what their docstrings say.

A package that lists its names in `__all__` has these, under the names by which one imports them. Other modules have
what is documented in them and begins without an underscore. What only the library itself calls is left out.
"""

from __future__ import annotations

import importlib
import inspect
from typing import NamedTuple

HEXAPOD = " ".join(f"hexapod.{name}" for name in "hybrid control energy orbit held layout rhex state".split())
MODELS = "slip planned_slip planar_hopper slip_leg slip_leg_hybrid hopping_leg hopping_leg_hybrid multipod bigant disc"
OTHERS = "quasistatic bouncing_ball table_ball dry_friction pendulum_wall rigid_chain constrained ground_line"


class ApiPage(NamedTuple):
    """A page of the reference."""

    title: str
    package: str  # in `tarsus`; its own names stand first
    modules: str = ""  # in the package, further ones


PARTS = {
    "tarsus": ApiPage("The package itself", ""),
    "hybrid": ApiPage(
        "Hybrid engine",
        "analytic.hybrid",
        "automaton closing sampled sections derivatives derived_map directions adjoint control feedback basin lyapunov",
    ),
    "contact": ApiPage("Contact solver", "analytic.contact", "fit se2"),
    "models": ApiPage("Machines, exactly", "analytic.models", f"hexapod {HEXAPOD} {MODELS} {OTHERS}"),
    "analytic": ApiPage(
        "Terrain, clock, motor", "analytic", "terrain terrain_base clock rhex_gaits motor battery simsect"
    ),
    "compilation": ApiPage("Compilation", "analytic.compilation"),
    "mjcf": ApiPage(
        "Models in MuJoCo",
        "mjcf",
        "presets hexapod hexapod_state slip_leg hopping_leg multipod bigant disc own_robot own_parts feet terrain "
        "ground parts",
    ),
    "controllers": ApiPage(
        "Controllers",
        "controllers",
        "clock clock_gaits gaits shaft_gaits pair_gaits disc_gait gait_policy raibert raibert_laws slip "
        "slip_parameters slip_laws sampled held_gait rhex rhex_policy slope pd",
    ),
    "envs": ApiPage(
        "Environments",
        "envs",
        "hexapod slip_leg hopping_leg multipod bigant multipod_quasistatic own_robot own_task own_config own_baseline "
        "base vector config task free_body "
        "walker observations measure shaping commands curriculum disturbances extras privileged state servos "
        "actions surrogate",
    ),
    "shared": ApiPage(
        "Runs, recordings, policies",
        "scripts.library",
        "running.run comparison.compare machines.machine machines.outcome machines.description machines.runners "
        "machines.slip_leg machines.hopping_leg machines.hexapod_experiment machines.hexapod_exact "
        "machines.hexapod_mujoco machines.multipod_mujoco records.record records.summary own_robot.rollout "
        "own_robot.measures own_robot.stance own_robot.legs own_robot.sliding sliding.recording sliding.prediction "
        "sliding.fitted sliding.walks learning.policies learning.evaluation learning.planning learning.stable "
        "learning.onnx_policy certificates.certifying certificates.certificate search.gait search.hexapod "
        "search.multipod search.searches",
    ),
}


def directives(dotted: str) -> str:
    """Return the directives of a module: of its public names if it lists them, functions first, else of all."""
    names = getattr(importlib.import_module(dotted), "__all__", None)
    if names is None:
        return f".. automodule:: {dotted}\n"
    found = {"function": [], "class": [], "data": []}
    for name in sorted(names, key=str.lower):
        value = getattr(importlib.import_module(dotted), name)
        if inspect.ismodule(value):  # which has a page of its own
            continue
        kind = "class" if inspect.isclass(value) else "function" if callable(value) else "data"
        found[kind].append(f"{dotted}.{name}")
    options = {"function": "", "class": "   :members:\n", "data": "   :no-value:\n"}
    listed = [f".. auto{kind}:: {name}\n{options[kind]}" for kind, group in found.items() for name in group]
    return "\n".join([f".. automodule:: {dotted}\n   :no-members:\n", *listed])


def page(part: ApiPage) -> str:
    """Return a page of the reference, in MyST's Markdown."""
    package = f"tarsus.{part.package}".rstrip(".")
    whole = f".. automodule:: {package}\n   :no-members:\n"
    own = hasattr(importlib.import_module(package), "__all__")
    parts = [f"# {part.title}", f"```{{eval-rst}}\n{directives(package) if own else whole}```"]
    for name in part.modules.split():
        parts.append(f"## `{name}`\n\n```{{eval-rst}}\n{directives(f'{package}.{name}')}```")
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """Return the reference's first page."""
    rows = "\n".join(
        f"| [{part.title}]({name}.md) | `{f'tarsus.{part.package}'.rstrip('.')}` |" for name, part in PARTS.items()
    )
    listed = "\n".join(PARTS)
    return (
        "# API reference\n\nMade from the docstrings: the public names, with types. "
        "Units, shapes and frames are in the text; the words are those of [conventions](../conventions.md), the "
        "symbols those of [notation](../notation.md).\n\n"
        f"| part | import from |\n|---|---|\n{rows}\n\n"
        "The hybrid engine is imported as `from tarsus import hybrid as hy`: `hy.compile`, `hy.Model` and the "
        "other names of `hy` are on [its page](hybrid.md).\n\n"
        f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )


PAGES = {"docs/api/index.md": index} | {
    f"docs/api/{name}.md": lambda part=part: page(part) for name, part in PARTS.items()
}
