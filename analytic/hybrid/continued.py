"""Runs that are continued: each to a given time, and on from there with parameters that may have changed meanwhile.

Step sizes and what the engine remembers of its charts are kept, so that to stop and to go on costs little: a walk that
is stopped fifty times a second takes a tenth longer.
"""

from typing import Any

import numpy as np

from .driver import Driver
from .kernel import codes
from .result import STATUS_OF_CODE, Status
from .simulator import Simulator
from .start import copies

NOTHING = np.zeros((0, 1))  # neither a record nor a log


class Continued:
    """Runs of one compiled model; `advance` may be called for different runs on different threads.

    Args:
        sim: The compiled model.
        n: Number of runs.
        **settings: See `Options`; the final time and what concerns records have no effect.

    Attributes:
        t: Time of each run, shape (n,) [s].
        x: State, shape (n, n_states); as `d`, memory, `p`, parameters, and `rates`, of the state where the run stands.
        chart: Code of the chart, shape (n,).

    Raises:
        ImportError: If the model is not compiled.
    """

    def __init__(self, sim: Simulator, n: int = 1, **settings: Any):
        if sim.mode != "compiled":
            raise ImportError("to continue runs needs compiled models, and they need numba: pip install numba")
        settings |= {"final_time": 0.0, "record_period": None}
        self._template = sim.start.workspace(*sim.start.of(**settings))
        self._template["log_on"] = 0
        Driver(sim.kernel, sim.mode, sim.functions, self._template, recorded=False)  # which compiles
        self._go_on, self._runs = sim.kernel.advance, copies(self._template, n)
        self.t, self.x, self.d, self.p, self.chart = (self._runs[name] for name in ("t", "x", "d", "p", "chart"))
        names = "t_final", "status", "phase", "moved"
        self._until, self._status, self._phase, self._moved = (self._runs[name] for name in names)
        self.rates = self._runs["k"][:, 0]
        self._bytes = self._runs.view(np.uint8).reshape(n, -1)

    def begin(self, run: int, x: np.ndarray, d: np.ndarray, p: np.ndarray, t: float = 0.0) -> Status:
        """Begin a run anew, with state (n_states,), memory and parameters, in the chart that the model chooses.

        Events due at once are done.
        """
        self._bytes[run] = self._template.view(np.uint8)
        w = self._runs[run]
        w["x"], w["d"], w["p"], w["t"], w["t_event"], w["chart"] = x, d, p, t, t, -1
        w["t_final"] = t
        self._go_on(self._runs, run, NOTHING, NOTHING)
        w["t_scale"] = 1.0
        return STATUS_OF_CODE[int(w["status"])]

    def advance(self, run: int, until: float) -> bool:
        """Continue a run to a time [s]; return whether it got there. If not, `status` says why."""
        self._until[run], self._status[run] = until, codes.RUNNING
        self._phase[run], self._moved[run] = codes.ENTER, codes.MOVED  # a parameter that jumps moves the guards
        self._go_on(self._runs, run, NOTHING, NOTHING)
        return self._status[run] == codes.FINAL_TIME

    def status(self, run: int) -> Status:
        """Return the status with which a run stopped last."""
        return STATUS_OF_CODE[int(self._status[run])]

    def saved(self, run: int) -> np.ndarray:
        """Return a run's whole memory, from which it goes on bit for bit, shape (n_bytes,) of uint8."""
        return self._bytes[run].copy()

    def restore(self, run: int, saved: np.ndarray) -> None:
        """Put a run where it was when `saved` returned this, shape (n_bytes,)."""
        self._bytes[run] = saved
