"""Make the measured data from clones of the repositories that published them.

Usage: python -m tarsus.scripts.laboratory.reality.convert OUT [--contact-nets GIT] [--impact-modeling GIT]. GIT is a
git directory of DAIRLab/contact-nets or DAIRLab/ImpactModeling; fixed commits are read, whatever else the clone holds.
Nothing is smoothed or dropped; units are SI as stated, quaternions have the norm 1 and one sign along a toss.
"""

from __future__ import annotations

import io
import itertools
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tarsus.analytic import saving
from tarsus.scripts.command import arguments, paths
from tarsus.scripts.laboratory.reality import rotations, tensors
from tarsus.scripts.library.reality import data
from tarsus.scripts.library.reality.tosses import HALF_WIDTH, MASS, RATE

COMMITS = {
    "contact-nets": "c3dc21c94577ff4ed99123f0b00bfe57bb2d1d90",
    "ImpactModeling": "f6c28898845da6d48efdd6c1c696db2fb3716edf",
}
GRAVITY = 9.603  # what gravity reads in the cube's stated metres [m/s^2]
CLEAR = 0.006  # the lowest corner is higher than this in flight, stated metres [m]
FEWEST = 6  # frames of flight that give a start
HELD_OUT, SEED = 0.5, 20260101  # share of each data set that no fit may see


def archive(git: str, commit: str, path: str) -> dict[str, bytes]:
    """Return the files under a path of a commit.

    Raises:
        ValueError: If the clone does not have it.
    """
    command = ["git", f"--git-dir={git}", "archive", commit, path]
    packed = subprocess.run(command, capture_output=True)
    if packed.returncode:
        raise ValueError(f"{git} has no {path} of {commit}: {packed.stderr.decode(errors='replace').strip()}")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
        return {member.name: files.extractfile(member).read() for member in files.getmembers() if member.isfile()}


def held_out(count: int) -> np.ndarray:
    """Return a mask of the items kept from every fit, drawn by a generator that numpy keeps stable, shape (count,)."""
    order = np.random.Generator(np.random.PCG64(SEED)).permutation(count)
    return np.isin(np.arange(count), order[: round(HELD_OUT * count)])


def last_of_flight(position: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """Return the start of a toss, fitted to frames in flight, at the last of them, as `tosses.Toss.start` has it.

    A parabola of known gravity and a rotation of constant rate: a cube has no favoured axis.

    Args:
        position: Shape (frames, 3), stated metres.
        quaternion: Shape (frames, 4), w first.
    """
    t = (np.arange(len(position)) - (len(position) - 1)) / RATE
    A = np.c_[np.ones(len(t)), t]
    straight = position + 0.5 * GRAVITY * t[:, None] ** 2 * np.array([0.0, 0.0, 1.0])
    place, velocity = np.linalg.lstsq(A, straight, rcond=None)[0]
    end = quaternion[-1]
    for _ in range(5):
        turns = rotations.vector(rotations.product(quaternion, rotations.inverse(end)))
        turn, spin = np.linalg.lstsq(A, turns, rcond=None)[0]
        end = rotations.product(rotations.exponential(turn), end)
    body = rotations.product(rotations.product(rotations.inverse(end), np.r_[0.0, spin]), end)[1:]
    return np.r_[place, end / np.linalg.norm(end), velocity, body]


def cube(git: str) -> dict[str, np.ndarray]:
    """Return the arrays of the cube's tosses.

    Raises:
        ValueError: If the clone does not hold them.
    """
    folder = "data/tosses_processed/"
    files = archive(git, COMMITS["contact-nets"], folder.rstrip("/"))
    names = sorted((name for name in files if name.endswith(".pt")), key=lambda name: int(Path(name).stem))
    runs = [tensor[0] if tensor.ndim == 3 else tensor for tensor in (tensors.read(files[name]) for name in names)]
    if len(runs) != 570 or any(r.shape[1] != 19 or np.any(r[:, 13:]) or not np.isfinite(r).all() for r in runs):
        raise ValueError("the tosses are not those expected")
    rows = np.concatenate(runs)
    start = np.concatenate([[0], np.cumsum([len(r) for r in runs])]).astype(np.int32)
    quaternion, position = _one_sign(rows[:, 3:7], start), rows[:, :3] * HALF_WIDTH
    lowest = position[:, 2] - HALF_WIDTH * np.abs(rotations.matrix(quaternion)[:, 2]).sum(1)
    frames, fitted = np.zeros(len(runs), np.int32), np.full((len(runs), 13), np.nan)
    for k, (first, last) in enumerate(itertools.pairwise(start)):
        clear = lowest[first:last] > CLEAR
        frames[k] = last - first if clear.all() else int(np.argmin(clear))
        if frames[k] >= FEWEST:
            flight = slice(first, first + frames[k])
            fitted[k] = last_of_flight(position[flight], quaternion[flight])
    return {
        "commit": np.array(COMMITS["contact-nets"]),
        "about": np.array("DAIRLab/contact-nets data/tosses_processed, BSD-3-Clause"),
        "start": start,
        "position": position.astype(np.float32),
        "quaternion": quaternion.astype(np.float32),
        "velocity": (rows[:, 7:10] * HALF_WIDTH).astype(np.float32),
        "angular_velocity": rows[:, 10:13].astype(np.float32),
        "flight_frames": frames,
        "contact_start": fitted.astype(np.float32),
        "held_out": held_out(len(runs)),
        "rate": np.array(RATE),
        "half_width": np.array(HALF_WIDTH),
        "mass": np.array(MASS),
        "inertia": np.array(0.00081),
    }


def _one_sign(quaternion: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return quaternions of the norm 1, none of which has the opposite sign of the one before in its toss."""
    quaternion = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
    for k in range(1, len(quaternion)):
        if k not in start and quaternion[k] @ quaternion[k - 1] < 0:
            quaternion[k] = -quaternion[k]
    return quaternion


def ellipse(git: str) -> dict[str, np.ndarray]:
    """Return the arrays of the ellipse's impacts.

    Raises:
        ValueError: If the clone does not hold them.
    """
    import scipy.io

    path = "AP Poisson/AP Poisson Ellipse/ellipse_uniform.mat"
    files = archive(git, COMMITS["ImpactModeling"], path)
    bounces = scipy.io.loadmat(io.BytesIO(files[path]), squeeze_me=True, struct_as_record=False)["bounce_array"]
    states = np.array([bounce.states for bounce in bounces], float)
    flags = np.array([np.atleast_1d(bounce.flags) for bounce in bounces], bool)
    normal, tangent = (np.array([getattr(bounce, row) for bounce in bounces], float) for row in "nd")
    if states.shape != (2000, 12) or (~flags.any(1)).sum() != 1718:
        raise ValueError("the impacts are not those expected")
    return {
        "commit": np.array(COMMITS["ImpactModeling"]),
        "about": np.array("DAIRLab/ImpactModeling ellipse_uniform.mat (measured at MIT MCube)"),
        "before": states[:, :6],
        "after": states[:, 6:],
        "published_normal": normal[:, 2].astype(np.float32),
        "published_tangent": tangent[:, 2].astype(np.float32),
        "flags": flags,
        "flag_names": np.array(["sb", "en", "cl", "mc", "de", "ld"]),
        "valid": ~flags.any(1),
        "held_out": held_out(len(states)),
        "rate": np.array(250.0),
        "semi_axes": np.array([0.035, 0.025]),
        "mass": np.array(0.0364),
        "gyration": np.array(0.0192),
    }


def square(git: str) -> dict[str, np.ndarray]:
    """Return the arrays of the square's drops.

    Raises:
        ValueError: If the clone does not hold them.
    """
    folder = "Wang/Wang-Mason Square/dice-data-processed/"
    files = archive(git, COMMITS["ImpactModeling"], folder)
    names = sorted((n for n in files if n.endswith(".csv")), key=lambda n: int(Path(n).stem.split("_")[1]))
    rows = np.array([np.loadtxt(io.BytesIO(files[name]), delimiter=",", skiprows=1) for name in names])
    if rows.shape != (500, 200, 6) or not np.isfinite(rows).all():
        raise ValueError("the drops are not those expected")
    return {
        "commit": np.array(COMMITS["ImpactModeling"]),
        "about": np.array("DAIRLab/ImpactModeling dice-data-processed (measured at MIT MCube)"),
        "pose": rows[:, :, :3].astype(np.float32),
        "held_out": held_out(len(rows)),
        "rate": np.array(250.0),
        "side": np.array(0.06),
    }


def save(folder: Path, name: str, arrays: Mapping[str, np.ndarray]) -> None:
    """Write a data set if it is the one that the documentation is of.

    Raises:
        ValueError: If its numbers are others.
    """
    if data.digest(arrays) != data.DIGESTS[name]:
        raise ValueError(f"the converted numbers of {name} differ from the measured ones")
    with saving.writing(folder / f"{name}.npz") as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)
    print(folder / f"{name}.npz")


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Convert what the command line names clones of."""
    parser = arguments.Parser(prog=data.CONVERT, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=paths.folder_to_write)
    for name in ("contact-nets", "impact-modeling"):
        parser.add_argument(f"--{name}", metavar="GIT", help="git directory of a clone")
    with arguments.read(parser, argv) as args:
        if not (args.contact_nets or args.impact_modeling):
            raise ValueError("there is nothing to convert: --contact-nets or --impact-modeling names a clone")
        made = {"cube_tosses": cube(args.contact_nets)} if args.contact_nets else {}
        if args.impact_modeling:
            made |= {"ellipse_impacts": ellipse(args.impact_modeling), "square_drops": square(args.impact_modeling)}
        for name, arrays in made.items():
            save(args.out, name, arrays)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
