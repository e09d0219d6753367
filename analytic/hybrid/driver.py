"""The Python side of a run: it provides memory for the kernel, calls the callbacks, and handles exceptions."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from .kernel import codes
from .workspace import as_object

ROOM = 1024  # rows of the record to begin with; they grow


class Driver:
    """One run of the kernel, in a workspace of shape (1,)."""

    def __init__(
        self,
        kernel: Any,
        mode: str,
        functions: Any,
        ws: np.ndarray,
        recorded: bool,
        times: np.ndarray | None = None,
        n_dense: int = 0,
    ) -> None:
        sizes = functions.sizes
        n, nd, ng = sizes["N"], sizes["ND"], sizes["NG"]
        self.kernel, self._n_guards, self._transition = kernel, ng, functions.transition
        self.mode = mode
        self.ws = [as_object(ws[0])] if mode == "python" else ws
        self.dtype = ws.dtype
        self._width = 2 + n + nd
        self._record = np.empty((ROOM if recorded else 1, self._width + (2 + n_dense * n if n_dense else 0)))
        if times is not None:  # the kernel reads in each row when it is due
            self._record = np.full((len(times) + 2, self._width), np.inf)
            self._record[: len(times), 0] = times
        self._log = np.empty((ROOM // 2 + ng, 4 + 2 * (n + nd) + ng))
        if mode != "python" and not hasattr(kernel, "ready"):
            _compile(kernel, ws, self._record)

    def run(
        self, on_measure: Callable | None, on_frame: Callable | None, partial: bool = False
    ) -> BaseException | None:
        """Run to the end; return the exception that ended it, Ctrl-C only if `partial` results are asked for."""
        try:
            with np.errstate(all="ignore") if self.mode != "compiled" else nullcontext():
                while True:
                    code = self.kernel.advance(self.ws, 0, self._record, self._log)
                    if code == codes.OVER:
                        return None
                    if code == codes.EVENT:
                        self._perform()
                    elif code == codes.ROOM:
                        self._grow()
                    elif code == codes.MEASURE:
                        self._call(on_measure, "t", "x")
                    elif code == codes.FRAME:
                        self._call(on_frame, "t_frame", "x_frame")
        except (Exception, KeyboardInterrupt) as error:
            if isinstance(error, KeyboardInterrupt) and not partial:
                raise
            self._set("status", codes.STOPPED if isinstance(error, KeyboardInterrupt) else codes.MODEL_ERROR)
            return error

    def _get(self, name: str) -> Any:
        w = self.ws[0]
        return w[name] if isinstance(w, np.void) else getattr(w, name)

    def _set(self, name: str, value: Any) -> None:
        w = self.ws[0]
        if isinstance(w, np.void):
            w[name] = value
        else:
            setattr(w, name, value)

    def _call(self, callback: Callable | None, t: str, x: str) -> None:
        if callback is None:
            return
        arguments = (float(self._get(t)), self._get(x).copy(), self._get("d").copy(), int(self._get("chart")))
        if callback(*arguments) and self._get("status") == codes.RUNNING:
            self._set("status", codes.STOPPED)

    def _perform(self) -> None:
        """Call a transition in plain Python on a compiled run's workspace."""
        w = self.ws[0]
        chart = self._transition(float(w["te"]), w["xe"], w["de"], w["p"], int(w["chart"]), w["fired"])
        w["following"] = codes.DECLINE if chart is None else int(chart)
        w["phase"] = codes.ADOPT

    def _grow(self) -> None:
        """Enlarge the table that has no room for what one phase of the kernel may write, see `has_room` there."""
        for name, used, rows in (("_record", "n_rec", 2), ("_log", "n_ev", self._n_guards + 2)):
            table, n = getattr(self, name), int(self._get(used))
            if n + rows > len(table):
                larger = np.empty((4 * len(table) + rows, table.shape[1]))
                larger[:n] = table[:n]
                setattr(self, name, larger)

    def record(self) -> np.void:
        """Return the workspace at the end, as a record."""
        if isinstance(self.ws[0], np.void):
            return self.ws[0]
        w = np.zeros(1, self.dtype)
        for name in self.dtype.names:
            w[name] = getattr(self.ws[0], name)
        return w[0]

    def rows(self) -> np.ndarray:
        """Return the record: t, chart, x and d of m points, shape (m, 2 + n + n_memory)."""
        return self._record[: int(self._get("n_rec")), : self._width]

    def steps(self) -> np.ndarray:
        """Dense output of the step that begins at each row of the record, see `DenseOutput`."""
        return self._record[: int(self._get("n_rec")), self._width :]

    def log(self) -> np.ndarray:
        """Return the event log, which `Events` reads, shape (k, 4 + 2 (n + n_memory) + n_guards)."""
        return self._log[: int(self._get("n_ev"))]


def _compile(kernel: Any, ws: np.ndarray, table: np.ndarray) -> None:
    """Compile or load the entry points before the first run: mistakes in a model raise exceptions here."""
    import numba

    try:
        if hasattr(kernel, "compile"):  # it is linked
            kernel.compile()
        else:
            rows = numba.typeof(table)
            kernel.advance.compile((numba.typeof(ws), numba.typeof(0), rows, rows))
    except numba.core.errors.NumbaError as error:
        advice = 'write it for numba, or use mode="mixed" (plain transitions) or "python"'
        raise ValueError(f"a function of the model cannot be compiled; {advice}\n{error}") from None
    kernel.ready = True
