"""MuJoCo models, built with `mujoco.MjSpec` from the parameters in `tarsus.analytic.models`."""
