"""MuJoCo models, built with `mujoco.MjSpec` from the parameters in `tarsus.analytic.models`."""

from .compile import compile_model
from .log import write_no_file
from .own_options import apply_preset
from .presets import PRESETS, Preset

__all__ = ["PRESETS", "Preset", "apply_preset", "compile_model"]

write_no_file()
