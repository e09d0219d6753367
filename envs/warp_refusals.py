"""What the option `engine="warp"` refuses, each with a sentence, before Warp is imported or anything is allocated."""

import importlib.util

import mujoco
import numpy as np

from ..analytic.compilation import extras
from ..mjcf.terrain import GROUND

NEEDED = "engine 'warp' needs MuJoCo Warp"
LONGEST = 600.0  # of an episode [s]: after a thousand turns of a hip single precision resolves 5e-4 rad
MOST_DOFS = 60  # of MuJoCo Warp with a dense Jacobian


def check_single(config) -> None:
    """Refuse the engine Warp of a single simulation."""
    if config.engine == "warp":
        raise ValueError("engine 'warp' steps many simulations: gymnasium.make_vec; a single one has 'mujoco'")


def check(task, max_episode_steps: int | None) -> None:
    """Refuse what this engine does not do with a task of many simulations; ImportError if it is not installed."""
    config = task.config
    if config.engine != "warp":
        return
    most = int(LONGEST / task.ctrl_dt)
    if max_episode_steps is None or max_episode_steps > most:
        raise ValueError(
            f"engine 'warp' has single precision, in which angles of joints that go round lose digits: episodes have "
            f"at most {most} steps, {LONGEST:g} s, got max_episode_steps={max_episode_steps}"
        )
    check_model(task.model)
    check_installed()


def check_installed(tensors: bool = False) -> None:
    """Refuse, by an ImportError, to begin without MuJoCo Warp or, for environments on a device, without PyTorch."""
    if tensors and importlib.util.find_spec("torch") is None:
        raise ImportError(f"environments on a device return tensors of PyTorch: {extras.install('rl')}")
    if any(importlib.util.find_spec(name) is None for name in ("warp", "mujoco_warp")):
        raise ImportError(f"{NEEDED}: {extras.install('warp')}")


def check_model(model: mujoco.MjModel) -> None:
    """Refuse a model that MuJoCo Warp, or this project with it, does not step as MuJoCo does."""
    option = model.opt
    if option.noslip_iterations:
        raise ValueError("engine 'warp' has no noslip iterations with the integrator 'discrete'; use a preset without")
    if model.nv > MOST_DOFS and not mujoco.mj_isSparse(model):
        raise ValueError(f"engine 'warp' steps models of at most {MOST_DOFS} degrees of freedom, this has {model.nv}")
    if option.integrator != mujoco.mjtIntegrator.mjINT_DISCRETE:
        kind = mujoco.mjtIntegrator(option.integrator).name.removeprefix("mjINT_").lower()
        raise ValueError(
            f"engine 'warp' is checked against MuJoCo with the integrator 'discrete' alone; this preset has {kind!r}"
        )
    if is_speculative(model):
        _check_speculative(model)


def _check_speculative(model: mujoco.MjModel) -> None:
    """Refuse speculative contacts other than those that are compared with MuJoCo's."""
    if any(model.geom_type[foot] != mujoco.mjtGeom.mjGEOM_SPHERE for foot in feet_of(model)):
        raise ValueError("engine 'warp' has speculative contacts of feet that are spheres; use a preset without them")
    grounds = [k for k in range(model.ngeom) if model.geom(k).name == GROUND or model.geom(k).name.startswith("patch_")]
    least = min((model.geom_solref[k].prod() * model.geom_solimp[k, 1] for k in grounds), default=np.inf)
    if not (model.geom_solref[grounds] > 0).all() or least < model.opt.timestep:
        raise ValueError(
            "engine 'warp' has speculative contacts whose time constant, times damping ratio and largest impedance, is "
            f"at least a timestep of {model.opt.timestep:g} s; use a softer preset, or one without them"
        )


def feet_of(model: mujoco.MjModel) -> list[int]:
    """Return the geoms `toe_i` of a model."""
    return [k for k in range(model.ngeom) if model.geom(k).name.startswith("toe_")]


def is_speculative(model: mujoco.MjModel) -> bool:
    """Return whether feet that would touch within a step are in contact from its start."""
    return bool(model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SPECULATIVE)
