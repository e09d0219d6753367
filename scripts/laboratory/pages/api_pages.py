"""The pages of the API reference: the public names of each part of the library, with what their docstrings say.

A module that lists its names in `__all__` has these, under the names by which one imports them. Other modules have
what is documented in them and begins without an underscore. What only the library itself calls is left out: `modules()`
are all that a page of the documentation may import, and `tests/test_public.py` holds the pages to it.
"""

from __future__ import annotations

import importlib
import inspect
from typing import NamedTuple

from tarsus.scripts.library.base import stamp

HEXAPOD = " ".join(f"hexapod.{name}" for name in "hybrid control energy orbit layout rhex state".split())
MODELS = "slip planned_slip planar_hopper slip_leg slip_leg_hybrid hopping_leg hopping_leg_hybrid multipod bigant disc"
OTHERS = (
    "rimless_wheel simplest_walker compass_gait spring_walker quasistatic bouncing_ball table_ball dry_friction "
    "pendulum_wall rigid_chain rigid_cube constrained ground_line"
)

SLIDING = "sliding_walk sliding_observation"


class ApiPage(NamedTuple):
    """A page of the reference, or a part of one."""

    title: str
    package: str  # in `tarsus`; its own names stand first
    modules: str = ""  # in the package, further ones
    rest: tuple[ApiPage, ...] = ()  # further packages on the same page


FIRST = (ApiPage("The package itself", ""), ApiPage("Compilation", "analytic.compilation"))  # on the first page
PARTS = {
    "hybrid": ApiPage(
        "Hybrid engine",
        "hybrid",
        "automaton closing sampled sections derivatives derived_map directions adjoint families bifurcations control "
        "feedback basin lyapunov",
        (ApiPage("Contact solver", "contact", "fit se2 impact geometry"),),
    ),
    "models": ApiPage(
        "Machines, exactly and in MuJoCo, and controllers",
        "analytic.models",
        f"hexapod {HEXAPOD} {MODELS} {SLIDING} {OTHERS}",
        (
            ApiPage("Terrain, clock, motor", "analytic", "terrain terrain_base clock rhex_gaits motor battery simsect"),
            ApiPage(
                "Models in MuJoCo",
                "mjcf",
                "presets contact_law contact_converter hexapod hexapod_state slip_leg hopping_leg multipod bigant disc "
                "own_robot own_parts feet terrain ground parts",
            ),
            ApiPage(
                "Controllers",
                "controllers",
                "clock clock_gaits gaits shaft_gaits pair_gaits disc_gait gait_policy raibert raibert_laws slip "
                "slip_parameters slip_laws sampled rhex rhex_policy slope pd path connection_mpc "
                "connection_policy stride_bias feasibility robot_gaits deadbeat observer fault_bank friction_ratios",
            ),
        ),
    ),
    "envs": ApiPage(
        "Environments",
        "envs",
        "hexapod slip_leg hopping_leg multipod bigant multipod_quasistatic own_robot own_task own_config own_baseline "
        "base vector config task machine models free_body "
        "walker observations measure shaping commands curriculum disturbances extras privileged state servos "
        "actions surrogate",
        (
            ApiPage("Machines and their runs", "machines"),
            ApiPage("Records", "records"),
            ApiPage("Results", "results"),
            ApiPage("Pictures and films", "views"),
            ApiPage("Policies and training", "learning"),
            ApiPage("Designs by gradient", "design"),
            ApiPage("A robot of your own", "own_robot"),
            ApiPage("Walks whose feet slide", "sliding"),
            ApiPage("Contact suite", "contact_suite"),
        ),
    ),
}


def modules() -> list[str]:
    """Return the dotted names of all public modules."""
    parts = [known for part in (*FIRST, *PARTS.values()) for known in (part, *part.rest)]
    packages = [(f"tarsus.{part.package}".rstrip("."), part.modules.split()) for part in parts]
    return sorted(name for package, below in packages for name in (package, *(f"{package}.{one}" for one in below)))


def names_of(dotted: str) -> list[str] | None:
    """Return the names that a module lists, or defines if it lies elsewhere; None if Sphinx is to look for them.

    What the package above lists is described there.
    """
    module, above = importlib.import_module(dotted), importlib.import_module(dotted.rpartition(".")[0] or dotted)
    if module.__name__ == dotted:
        return getattr(module, "__all__", None)
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    return [name for name in own if not (name.startswith("_") or name in above.__all__)]


def directives(dotted: str) -> str:
    """Return the directives of a module: of its public names if they are known, functions first, else of all."""
    names = names_of(dotted)
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


def sections(part: ApiPage) -> list[str]:
    """Return what a page says of a package, without its title: its own names, then a section for every module."""
    package = f"tarsus.{part.package}".rstrip(".")
    whole = f".. automodule:: {package}\n   :no-members:\n"
    own = hasattr(importlib.import_module(package), "__all__")
    found = [f"```{{eval-rst}}\n{directives(package) if own else whole}```"]
    for name in part.modules.split():
        found.append(f"## `{name}`\n\n```{{eval-rst}}\n{directives(f'{package}.{name}')}```")
    for other in part.rest:
        found += [f"## {other.title}", *sections(other)]
    return found


def page(part: ApiPage) -> str:
    """Return a page of the reference, in MyST's Markdown."""
    return "\n\n".join([f"# {part.title}", *sections(part)]) + "\n"


def index() -> str:
    """Return the reference's first page, with the names that are used everywhere."""
    rows = [
        (f"[{known.title}]({name}.md)", f"`tarsus.{known.package}`")
        for name, part in PARTS.items()
        for known in (part, *part.rest)
    ]
    first = [text for part in FIRST for text in (f"## {part.title}", *sections(part))]
    listed = "\n".join(PARTS)
    parts = [
        "# API reference",
        "Made from the docstrings: the public names, with types. Units, shapes and frames are in the text; words and "
        "symbols are those of [conventions](../conventions.md).",
        stamp.markdown_table(("part", "import from"), rows),
        "The hybrid engine is imported as `from tarsus import hybrid as hy`: `hy.compile`, `hy.Model` and the other "
        "names of `hy` are on [its page](hybrid.md). `tarsus.hybrid` and `tarsus.contact` are short names of "
        "`tarsus.analytic.hybrid` and `tarsus.analytic.contact`.",
        *first,
        f"```{{toctree}}\n:hidden:\n\n{listed}\n```",
    ]
    return "\n\n".join(parts) + "\n"


PAGES = {"docs/api/index.md": index} | {
    f"docs/api/{name}.md": lambda part=part: page(part) for name, part in PARTS.items()
}
