"""What a machine must offer to be run in either engine and compared: options, experiment, how it runs, how it is seen.

A machine joins with a class like this in a file of this folder and a line in `machines.NAMES`. `tarsus run` and
`tarsus crossvalidate` know it then. Where a `Machine` describes it to both engines, its name and that are enough;
methods say what other options it has, and how it is watched, drawn and summed up.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tarsus.analytic.terrain import TERRAINS
from tarsus.scripts.command import arguments
from tarsus.scripts.library.machines.outcome import SAMPLE_PERIOD, Run, RunStatus

if TYPE_CHECKING:
    from tarsus.scripts.library.machines.description import Machine
    from tarsus.scripts.library.machines.stepping import Stepper

STRIDES = 10  # steps whose mean period is a stride's
# Options that machines share: terrain, and parameters as `arguments.assignments` reads them.
TERRAIN = dict(nargs="+", metavar=("NAME", "ARG"))
FORCES = dict(action="store_true", help="draw ground reaction forces in the video, as arrows")
SET = dict(nargs="+", default=[], action="extend", metavar="NAME=VALUE")


class MachineCommand:
    """A machine that engines run from the same parameters, controller and start."""

    name: ClassVar[str]  # as on the command line
    engines: ClassVar[tuple[str, ...]] = ("exact", "mujoco")  # the one it runs in by default first
    seconds: ClassVar[float | None] = None  # length of a run by default [s]
    steps: ClassVar[int | None] = None  # or, of a machine that hops, their number
    preset: ClassVar[str] = "reference"  # of MuJoCo's settings, by default
    files: ClassVar[tuple[str, ...]] = ("run.nc", "run.csv")  # all that a run may have
    renders: ClassVar[bool] = False  # whether its film is drawn by OpenGL
    notice: ClassVar[str] = ""  # what to expect of its exact run, before it begins
    machine: ClassVar[Callable[[], Machine]]  # returns its description, where both engines are run from one

    def add_options(self, parser: arguments.Parser) -> None:
        """Add what `experiment` reads from the command line; engine, preset and length are there already."""
        parser.add_argument("--terrain", **TERRAIN, default=["flat"], help=", ".join(TERRAINS))
        parser.add_argument("--set", **SET, help="parameters of machine or controller")

    def experiment(self, args: argparse.Namespace, **gains: float) -> Any:
        """Return the machine, ground, gait, start and MuJoCo settings that the command line asks for.

        Args:
            args: The command line.
            gains: Of a described machine's controller, where the command line sets no other.

        Raises:
            ValueError: If that is impossible, or the engine could not begin; the sentence says why.
        """
        from tarsus.scripts.library.machines import runners

        machine = self.machine()
        of_machine, of_gains = ([entry.name for entry in fields(kind)] for kind in (machine.params, machine.gains))
        given = arguments.assignments(args.set, "--set", [*of_machine, *of_gains])
        gains |= {name: given.pop(name) for name in of_gains if name in given}
        settings = arguments.terrain(args.terrain), args.preset
        experiment = machine.experiment(machine.params(**given), machine.gains(**gains), *settings)
        runners.check(machine, experiment, args.engine, args.seconds)
        return experiment

    def exact(
        self, experiment: Any, seconds: float | None, period: float | None = SAMPLE_PERIOD, **options: Any
    ) -> Run:
        """Run the exact engine.

        Args:
            experiment: What to run.
            seconds: For how long [s].
            period: Between rows of the record [s].
            options: The engine's own settings, such as `rtol`, `on_frame` and `frame_period`; `steps` where it hops.

        Raises:
            RuntimeError: If the engine could not go on; the sentence says why.
        """
        from tarsus.scripts.library.machines import runners

        steps = options.pop("steps", None)
        return runners.exact(self.machine(), experiment, steps, seconds=seconds, period=period, **options)

    def mujoco(self, experiment: Any, seconds: float | None, fine: bool = True, **options: Any) -> Run:
        """Run MuJoCo; the record's rows are whole steps, about a millisecond apart.

        Args:
            experiment: What to run.
            seconds: For how long [s].
            fine: Whether to look at every step, for contact times and the energy budget; that takes half as long again.
            options: `on_frame`, called with every row, whose true answer ends the run; `steps` where it hops.
        """
        from tarsus.scripts.library.machines import runners

        return runners.in_mujoco(self.machine(), experiment, options.pop("steps", None), seconds=seconds, **options)

    def stride(self, experiment: Any) -> float:
        """Return the period of a stride, over which means of a comparison are taken [s]: the exact engine's first.

        Raises:
            RuntimeError: If the machine makes none.
        """
        run = self.exact(experiment, None, 1.0, steps=STRIDES)
        if not run.n_steps:
            raise RuntimeError(f"the exact {self.name.replace('_', ' ')} made no step: {run.status}")
        return float(np.diff(run.steps["time"]).mean())

    def failed(self, run: Run) -> bool:
        """Return whether a run fails the command: MuJoCo gave up, or a machine did not make all its steps."""
        return run.status == RunStatus.DIVERGED or not (self.steps is None or run.completed)

    def summary(self, run: Run) -> str:
        """Return the summary of a run, in words."""
        return f"{run.record.attrs['engine']}: {run.status}"

    def numbers(self, run: Run) -> dict[str, Any]:
        """Return a run's numbers."""
        tables = {name: table.to_dict("list") for name, table in self.tables(run).items()}
        ended = float(run.record["time"].values[-1]) if run.record.sizes["time"] else 0.0
        told = {"status": run.status, "seconds": ended, "warnings": run.warnings, "settings": dict(run.record.attrs)}
        return told | {"steps": run.steps, "tables": tables}

    def tables(self, run: Run) -> dict[str, Any]:
        """Return further tables of a run, by the names of their files."""
        return {}

    def add_looks(self, parser: argparse._ArgumentGroup) -> None:
        """Add what says how a run is looked at, besides `--view` and what all have."""

    def figure(self, run: Run, experiment: Any) -> Any:
        """Return the figure of a run of two rows or more; of machines with `run.png` among their files."""
        raise NotImplementedError

    def model(self, experiment: Any) -> Any:
        """Return MuJoCo's model of the machine on its ground; of machines whose film OpenGL draws."""
        raise NotImplementedError

    def film(self, run: Run, experiment: Any, path: Path, args: argparse.Namespace) -> None:
        """Write the film of a run; of machines with `run.mp4` among their files."""
        from tarsus.scripts.library.views import rendering

        rendering.write_video(run.record, self.model(experiment), path, forces=args.forces)

    def page(self, run: Run, experiment: Any, path: Path) -> None:
        """Write a page on which a run is seen in 3-D; of machines with `run.html` among their files."""
        raise NotImplementedError

    def stepper(self, experiment: Any) -> Stepper:
        """Return the stepper of the machine in MuJoCo from its start, for as long as it is watched."""
        from tarsus.mjcf.presets import find
        from tarsus.scripts.library.machines import runners

        machine = self.machine()
        return runners.MachineStepper(machine, experiment, find(experiment.preset, machine.presets))
