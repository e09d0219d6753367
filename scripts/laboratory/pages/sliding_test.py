"""The tables of docs/sliding_test.md: the sliding model against MuJoCo, or against a recording of your own.

Usage: tarsus page sliding_test [--write] [--recording FILE]; about 140 s of one core, a second for a recording.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr
from tqdm import tqdm

from tarsus.analytic.contact import Feet, lag_filter
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.sliding import cases
from tarsus.scripts.library.sliding import fitted
from tarsus.scripts.library.sliding import recording as sliding_recording
from tarsus.scripts.library.sliding.prediction import Measured, measure, naive_feet, predict, slips

PACKAGES = ("tarsus", "mujoco", "numpy", "numba", "scipy")
UNITS = {"u": ("mm/s", 1e3), "v": ("mm/s", 1e3), "omega": ("mrad/s", 1e3), "roll": ("mrad", 1e3)}
UNITS |= {"pitch": ("mrad", 1e3)} | {f"F_{axis}": ("% of weight", 1e2) for axis in "xyz"}
SPEEDS = (0.15, 0.3, 0.6, 1.0, 1.5, 2.0)  # of the sweeps [Hz]


def walks() -> list[tuple]:
    """Return the walks of the main tables, as arguments of `cases.outcome`."""
    return [
        (cases.tripod,),
        (cases.metachronal,),
        (cases.tripod, 2.0),
        (cases.metachronal, 3.0),
        *((cases.undulation, n) for n in cases.MULTIPOD_LEGS),
    ]


def compute() -> list[cases.Outcome]:
    """Return the outcome of every walk of the main tables, with a progress bar."""
    return [cases.outcome(*walk) for walk in tqdm(walks(), unit="walk")]


def velocity_table(results: list[cases.Outcome]) -> Table:
    """Return mean forward velocities and their errors, and which lies closer to what."""
    head = [
        *("walk", "slip, 5 to 95 % [mm/s]", "MuJoCo [mm/s]", "viscous", "Coulomb", "viscous - Coulomb"),
        *("viscous - MuJoCo", "Coulomb - MuJoCo"),
    ]
    rows = []
    for result in results:
        low, high = slip_percentiles(result)
        apart = {
            law: cases.rms(result.predicted[law].twist[:, :2] - result.measured.twist[:, :2]) for law in cases.LAWS
        }
        laws = result.predicted["viscous"].twist - result.predicted["coulomb"].twist
        rows.append(
            (
                result.walk.name,
                f"{1e3 * low:.0f} to {1e3 * high:.0f}",
                f"{1e3 * result.mean_twist()[0]:.1f}",
                *(f"{100 * result.error_of_speed(law):+.1f} %" for law in cases.LAWS),
                *(f"{1e3 * value:.1f}" for value in (cases.rms(laws[:, :2]), apart["viscous"], apart["coulomb"])),
            )
        )
    return Table(head, rows, "### Velocity")


def slip_percentiles(result: cases.Outcome) -> np.ndarray:
    """Return the 5 % and 95 % of the forward velocity over the ground of loaded feet [m/s]."""
    loaded = result.measured.force[..., 2] > 0.01 * result.measured.weight
    return np.percentile(slips(result.measured)[..., 0][loaded], [5, 95])


def error_table(results: list[cases.Outcome]) -> Table:
    """Return the rms errors of every quantity, those of both laws in a cell."""
    head = ["walk", *(f"{name} [{UNITS[name][0]}]" for name in cases.QUANTITIES), "way [% of its length]"]
    rows = []
    for result in results:
        way = np.sum(np.linalg.norm(np.diff(result.measured.pose[:, :2], axis=0), axis=1))
        of_laws = []
        for predicted in result.predicted.values():
            found = cases.residuals(result.measured, predicted)
            off = np.linalg.norm(predicted.pose[-1, :2] - result.measured.pose[-1, :2]) / way
            errors = [UNITS[name][1] * cases.rms(found[name]) for name in cases.QUANTITIES]
            of_laws.append([f"{error:.1f}" for error in (*errors, 100 * off)])
        rows.append((result.walk.name, *map(", ".join, zip(*of_laws, strict=True))))
    return Table(head, rows, f"### Errors of every quantity, rms: {' and '.join(results[0].predicted)}")


def rocking(measured: Measured) -> np.ndarray:
    """Return the velocity of the body's origin, forward and sideways, from its rocking over the ground (n, 2) [m/s].

    The model's body has its origin on the ground, as far as velocities go. One that pitches nose down by a rate goes
    forward by height times that rate, and one whose left side rises goes to the right.
    """
    pitch_rate, roll_rate = (np.gradient(angle, measured.dt) for angle in (measured.pitch, measured.roll))
    return measured.height[:, None] * np.column_stack([pitch_rate, -roll_rate])


def rocking_table(results: list[cases.Outcome]) -> Table:
    """Return the rms errors of Coulomb's velocities, and what is left once the measured rocking is added to them."""
    head = ["walk", "u [mm/s]", "u, with rocking", "v [mm/s]", "v, with rocking"]
    rows = []
    for result in results:
        off = result.predicted["coulomb"].twist[:, :2] - result.measured.twist[:, :2]
        left = off + rocking(result.measured)
        rows.append((result.walk.name, *(f"{1e3 * cases.rms(e[:, axis]):.1f}" for axis in (0, 1) for e in (off, left))))
    return Table(head, rows, "### What rocking adds to the velocity")


def fit_table(results: list[cases.Outcome]) -> Table:
    """Return by how much naive and own parameters err more than fitted ones, viscous law, as the paper's 3.1.4."""
    errors = [cases.fit_against_naive(result) for result in results]
    rows = []
    for name in ("naive", "own"):
        changes = {q: [100 * (error[name][q] / error["fitted"][q] - 1) for error in errors] for q in cases.QUANTITIES}
        spans = (f"{np.median(of):+.0f} ({min(of):+.0f} to {max(of):+.0f})" for of in changes.values())
        rows.append((name, *spans))
    return Table(("parameters", *cases.QUANTITIES), rows, "### Fitted parameters against others")


def sweep_table() -> Table:
    """Return the error of the mean velocity against the gait's frequency: where quasi-statics ends."""
    head = ["gait", "quantity", *(f"{f:g} Hz" for f in SPEEDS)]
    gaits = {
        "multipod, 6 legs": lambda f: cases.outcome(cases.undulation, 6, f),
        "multipod, 12 legs": lambda f: cases.outcome(cases.undulation, 12, f),
        "BigANT, metachronal": lambda f: cases.outcome(cases.metachronal, 1 / f, n_periods=4, settle=2),
        "quadruped, trot": lambda f: cases.outcome(cases.trot, f),
    }
    rows = []
    for name, walk in gaits.items():
        found = [walk(f) for f in tqdm(SPEEDS, desc=name, leave=False)]
        rows += [(name, law, *(f"{100 * r.error_of_speed(law):+.0f} %" for r in found)) for law in cases.LAWS]
        rows.append((name, "acceleration / (mu g)", *(f"{inertia_share(r):.2f}" for r in found)))
        rows.append((name, "sum of forces / weight, 5 to 95 %", *(load_swing(r) for r in found)))
    return Table(head, rows, "### Faster and faster")


def inertia_share(result: cases.Outcome) -> float:
    """Return the rms acceleration that Coulomb's prediction asks for, over what friction can give."""
    change = np.diff(result.predicted["coulomb"].twist[:, :2], axis=0) / result.measured.dt
    return cases.rms(np.linalg.norm(change, axis=1)) / (result.walk.params.friction_coeff * result.walk.params.g)


def load_swing(result: cases.Outcome) -> str:
    """Return the 5 and 95 percentiles of the total load over the weight; quasi-statics has 1."""
    total = result.measured.force[..., 2].sum(axis=1) / result.measured.weight
    return "{:.2f} to {:.2f}".format(*np.percentile(total, [5, 95]))


def lag_table() -> Table:
    """Return the quadruped's rms errors of velocity, raw and through the lag filter of least error."""
    head = ("walk", "law", "gamma", "u [mm/s]", "v [mm/s]", "omega [mrad/s]", "measured u, rms about its mean [mm/s]")
    rows = []
    for frequency in (0.3, 1.0):
        result = cases.outcome(cases.trot, frequency)
        spread = cases.rms(result.measured.twist[:, 0] - result.measured.twist[:, 0].mean())
        for law, predicted in result.predicted.items():
            for gamma in (0.0, cases.best_gamma(result, law)):
                off = lag_filter(predicted.twist, gamma) - result.measured.twist
                cells = [f"{1e3 * cases.rms(column):.1f}" for column in off.T]
                rows.append((result.walk.name, law, f"{gamma:.2f}", *cells, f"{1e3 * spread:.1f}"))
    return Table(head, rows, "### The quadruped's lag")


def parameters(measured: Measured) -> dict[str, Feet]:
    """Return the parameters that a recording is predicted with: naive ones, and where it has forces fitted ones.

    Raises:
        ValueError: If nothing can be fitted to its forces.
    """
    known = {} if measured.force is None else {"fitted": fitted.fitted_feet(measured)}
    return {"naive": naive_feet(measured)} | known


def fitted_table(results: list[cases.Outcome]) -> Table:
    """Return the friction that is fitted to each walk: of Coulomb's law, which MuJoCo has, and of the viscous law."""
    columns = ("the robot's mu [1]", "Coulomb mu [1]", "viscous mu [1]", "at a slip speed of [mm/s]")
    rows = []
    for result in results:
        found = fitted.fit(result.measured)
        ranges = (_span(found.coulomb.mu), _span(found.viscous.mu), f"{1e3 * found.reference_speed:.1f}")
        rows.append((result.walk.name, f"{result.walk.params.friction_coeff:g}", *ranges))
    return Table(("walk", *columns), rows, "### Fitted friction, least and largest of the legs")


def _span(values: np.ndarray) -> str:
    known = values[np.isfinite(values)]
    return f"{known.min():.3f} to {known.max():.3f}" if known.size else "-"


def own_recording(recording: xr.Dataset, measured: Measured) -> Table:
    """Return the table of a recording: rms errors by law and parameters."""
    rows = []
    for name, feet in parameters(measured).items():
        for law in cases.LAWS:
            found = predict(measured, feet, law)
            cells = {
                "u": found.twist[:, 0] - measured.twist[:, 0],
                "v": found.twist[:, 1] - measured.twist[:, 1],
                "omega": found.twist[:, 2] - measured.twist[:, 2],
                "roll": found.roll - measured.roll,
                "pitch": found.pitch - measured.pitch,
            }
            if measured.force is not None:
                cells = cases.residuals(measured, found)
            solved = f"{100 * found.solved.mean():.1f} %"
            rows.append((law, name, *(f"{UNITS[q][1] * cases.rms(v):.2f}" for q, v in cells.items()), solved))
    head = ("law", "parameters", *(f"{q} [{UNITS[q][0]}]" for q in cells), "frames solved")
    title = f"{recording.attrs['name']}, {measured.time[-1] - measured.time[0]:.1f} s, rms errors"
    return Table(head, rows, title)


def place(recording: Path | None) -> Place | None:
    """Return the place of the tables; a recording of a user's own has none."""
    return None if recording else Place("sliding_test.md")


def check(recording: Path | None) -> None:
    """Refuse a recording that cannot be read or fitted.

    Raises:
        ValueError: The sentence says why.
    """
    if recording:
        parameters(measure(sliding_recording.load(recording)))


def tables(recording: Path | None = None) -> Page:
    """Return the tables of the walks here, or that of a recording.

    Args:
        recording: A .nc or .csv file with a recording of your own.
    """
    if recording:
        loaded = sliding_recording.load(recording)
        measured = measure(loaded)
        errors = own_recording(loaded, measured)
        if measured.force is None:
            return Page(errors)
        found = fitted.fit(measured)
        return Page(errors, Table(fitted.head(found), fitted.rows(found), "Fitted parameters"))
    made, results = (velocity_table, error_table, rocking_table, fit_table, fitted_table), compute()
    return Page(*(table(results) for table in made), sweep_table(), lag_table())
