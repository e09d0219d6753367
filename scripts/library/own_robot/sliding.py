"""A recorded walk of a robot of the user's own beside what the contact solver makes of its feet."""

from dataclasses import dataclass, replace

import mujoco
import numpy as np
import xarray as xr

from tarsus.analytic.contact import Feet, slide
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.own_robot.legs import bent, feet_of
from tarsus.scripts.library.own_robot.stance import TWIST, foot_geoms, springs, twist_of
from tarsus.scripts.library.records.record import params_of
from tarsus.scripts.library.sliding import fitted
from tarsus.scripts.library.sliding.prediction import Measured, Predicted, angles, predict

LAWS = ("coulomb", "viscous")


@dataclass(frozen=True)
class OwnWalk:
    """A walk as the sliding model takes it."""

    measured: Measured
    feet: Feet  # stiffness (frames, n), friction, weight
    bend: np.ndarray  # (frames, n, 2) by how much tractions raise a foot [m/N]
    names: tuple[str, ...]  # of the feet

    def between(self, start: float, stop: float) -> "OwnWalk":
        """Return the frames from a time to before another [s].

        Raises:
            ValueError: If there are fewer than two.
        """
        time = self.measured.time
        rows = slice(*np.searchsorted(time, (start - 1e-9, stop - 1e-9)))
        if rows.stop - rows.start < 2:
            raise ValueError(f"between {start:g} and {stop:g} s lie no two frames of {time[0]:g} to {time[-1]:g} s")
        feet = replace(self.feet, stiffness=self.feet.stiffness[rows])
        return OwnWalk(self.measured.part(rows), feet, self.bend[rows], self.names)

    def predict(self, law="coulomb") -> Predicted:
        """Return a law's prediction from the feet's motion; not `solved` where tractions and bent legs disagree."""
        seen = self.measured
        pos, settled = bent(seen.foot_pos, seen.foot_vel, self.feet, self.bend, law)
        found = predict(replace(seen, foot_pos=pos), self.feet, law)
        return replace(found, solved=found.solved & settled)

    def with_loads(self, law="coulomb") -> np.ndarray:
        """Return a law's twists if the loads are MuJoCo's, shape (frames, 3): what friction alone is wrong by."""
        seen = self.measured
        load = np.maximum(seen.force[..., 2], 0.0)
        return slide(seen.seen_pos, seen.foot_vel, load, self.feet.mu, law=law).twist

    def report(self) -> str:
        """Return mean velocities, their errors and the fitted parameters as tables."""
        seen, rows = self.measured, []
        twists = {"MuJoCo": (seen.twist, "")}
        for law in LAWS:
            found = self.predict(law)
            twists[law] = found.twist, f"{100 * found.solved.mean():.1f} %"
            twists[f"{law}, MuJoCo's loads"] = self.with_loads(law), ""
        for name, (twist, solved) in twists.items():
            scale = [k for *_, k in TWIST]
            rms = np.sqrt(np.mean((twist - seen.twist) ** 2, axis=0))
            rows.append((name, *(f"{v:.2f}" for v in twist.mean(axis=0) * scale), *(f"{v:.2f}" for v in rms * scale)))
            rows[-1] += (solved,)
        head = [f"{what} {name} [{unit}]" for what in ("mean", "rms error") for name, unit, _ in TWIST]
        found = fitted.fit(seen)
        fits = stamp.markdown_table(fitted.head(found), fitted.rows(found, self.names))
        return f"{stamp.markdown_table(('', *head, 'frames solved'), rows)}\n\nFitted to MuJoCo's forces:\n\n{fits}"


def walk(record: xr.Dataset, model, mu, *, stiffness=None, rate: float = 100.0) -> OwnWalk:
    """Return a record of a robot of the user's own as the sliding model takes it.

    Velocities are those of the joints, not differences of positions, so that nothing is filtered.

    Args:
        record: Of `rollout`.
        model: The model that ran, or the same robot on other ground.
        mu: Friction of the feet, scalar or (n,).
        stiffness: As of `stance.stance`.
        rate: Frames per second, at most those of the record.

    Raises:
        ValueError: If it is no record of this robot, or no stiffness follows from servos.
    """
    if record.attrs.get("robot") != "own":
        raise ValueError(f"the record must be one of own_robot.rollout, got one of {record.attrs.get('robot')!r}")
    about = params_of(record)
    geoms = foot_geoms(model, about.feet)
    if model.nq - 7 != len(about.joints) or model.nu != len(about.actuators):
        raise ValueError(f"the model has {model.nq - 7} joints and {model.nu} actuators, the record another robot's")
    if not rate > 0:
        raise ValueError(f"rate must be positive, got {rate} Hz")
    every = max(1, round(1 / (rate * float(record["time"][1] - record["time"][0]))))
    some = record.isel(time=slice(None, None, every))
    frames = [_frame(model, geoms, about.feet, row, stiffness) for row in _rows(some)]
    free, seen, vel, twist, axes, legs, bend = (np.array(column) for column in zip(*frames, strict=True))
    yaw, pitch, roll = angles(some["body_orientation"].values)
    position, weight = some["body_position"].values, about.mass * about.g
    force = np.einsum("tij,tnj->tni", axes, some["foot_force"].values)
    pose, height = np.column_stack([position[:, :2], yaw]), position[:, 2]
    measured = Measured(some["time"].values, free, vel, seen, vel, pose, twist, height, pitch, roll, force, weight)
    return OwnWalk(measured, Feet(legs, mu, weight), bend, tuple(about.feet))


def _rows(record: xr.Dataset):
    """Yield `qpos`, `qvel` and `ctrl` of every row."""
    positions, velocities = ("body_position", "body_orientation"), ("body_velocity", "body_angular_velocity_b")
    qpos = np.concatenate([record[name].values for name in (*positions, "joint_angle")], axis=1)
    qvel = np.concatenate([record[name].values for name in (*velocities, "joint_speed")], axis=1)
    return zip(qpos, qvel, record["control"].values, strict=True)


def _frame(model, geoms, names, row, stiffness) -> tuple:
    """Return feet without and under load, their velocities, twist, heading axes, stiffness and bend at a row."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = row
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    legs = springs(model, data, geoms, names, stiffness)
    twist = twist_of(model, data)
    return *feet_of(model, data, geoms), *twist, *legs
