"""A worker's process: started in the engine's own Python, listened to, and ended, whatever the engine makes of it."""

from __future__ import annotations

import json
import math
import os
import queue
import subprocess
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from tarsus.scripts.suite import schema

LONGEST_LINE = 1_000_000  # of what a worker says [bytes]; a result of a hundred measurements has ten thousand
LAST_WORDS = 4000  # of what an engine prints, kept to say why it ended [bytes]
SENTENCE = 300  # of them that are repeated [characters]
LOOK = 0.5  # wall time between two looks at a worker's processor time [s]
LEAVES = 5.0  # wall time that a worker has to leave when all is said, and its streams to end when it has [s]

_NUMBER = {"type": ["number", "null"]}
_ROW = {"name": {"type": "string"}, "value": _NUMBER, "error": _NUMBER, "passed": {"type": ["boolean", "null"]}}
_WORDS = {"id": {"type": "string"}, "why": {"type": "string"}}
_RAN = {
    "id": {"type": "string"},
    "status": {"const": "ran"},
    "measurements": {
        "type": "array",
        "items": {"type": "object", "additionalProperties": False, "properties": _ROW, "required": list(_ROW)},
    },
    "passed": {"type": "boolean"},
    "steps": {"type": "integer"},
    "cost": {"type": "number"},
}
# A setting is a word of a command line and the name of a folder.
_SETTING = {"type": "string", "pattern": r"^\w[^/\\\x00-\x1f]*$"}
_SETTINGS = {"type": "array", "items": _SETTING, "minItems": 1}
LINES = {  # what a worker may say, by the field that no other line has
    "engine": {"engine": {"type": "string"}, "version": {"type": "string"}, "settings": _SETTINGS},
    "begins": {"begins": {"type": "string"}},
    "measurements": _RAN,
    "status": _WORDS | {"status": {"enum": ["cannot", "diverged", "slow"]}},
}


class Ended(Exception):
    """Says why a worker is no longer listened to, and the status of the case that it was at."""

    def __init__(self, why: str, status: str = "crashed"):
        super().__init__(why)
        self.status = status


class Process:
    """A worker that runs, in the engine's Python with these words, as a context that ends it; or Ended."""

    def __init__(self, python: str, words: Sequence[str]):
        # The worker imports this folder as `suite`, and nothing else of ours.
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "OMP_NUM_THREADS": "1"}
        command = [python, "-m", "suite.worker", *words]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
            )
        except OSError as error:
            raise Ended(f"{python}: {error.strerror}") from None
        self._said: queue.SimpleQueue = queue.SimpleQueue()
        self._printed = b""
        readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._keep_last_words)]
        for thread in readers:
            thread.start()
        threading.Thread(target=self._await_end, args=(readers,), daemon=True).start()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_) -> None:
        """End the process, unless it has ended."""
        self._process.kill()
        self._process.wait()

    def leave(self) -> None:
        """Give the process time to leave by itself, when all is said."""
        try:
            self._process.wait(LEAVES)
        except subprocess.TimeoutExpired:
            pass  # it is ended by the context

    def line(
        self, patience: float, kinds: Collection[str], of: str | None = None, longest: float = math.inf
    ) -> Mapping:
        """Return the worker's next line, of kinds of `LINES` and that case, within its patience [s], or raise Ended.

        It must come within the longest processor time, too, where the system tells that of another process (Linux). A
        timer within the worker would hold everywhere, but makes its processor time coarse, which is measured.
        """
        line = self._next(patience, longest)
        if line is None:
            raise self._end()
        try:
            said = json.loads(line)
            form = next(LINES[kind] for kind in kinds if isinstance(said, dict) and kind in said)
            whole = {"type": "object", "additionalProperties": False, "properties": form, "required": list(form)}
            schema.check(said, whole, {})
        except (ValueError, RecursionError, StopIteration):
            raise Ended(f"said what no worker says here: {_short(line)!r}") from None
        if of not in (None, said.get("id", said.get("begins"))):
            raise Ended(f"said what no worker says in {of}: {_short(line)!r}")
        return said

    def _next(self, patience: float, longest: float) -> bytes | None:
        until, used = time.monotonic() + patience, self._used()
        while True:
            try:
                return self._said.get(timeout=min(LOOK, max(0.0, until - time.monotonic())))
            except queue.Empty:
                if self._used() - used > longest:
                    raise Ended(f"a call did not return in {longest:.3g} s", "slow") from None
                if time.monotonic() >= until:
                    raise Ended(f"nothing came for {patience:.0f} s") from None

    def _used(self) -> float:
        """Return the processor time of the process [s], NaN where nothing tells it."""
        try:
            stat = Path(f"/proc/{self._process.pid}/stat").read_bytes()
        except OSError:
            return math.nan
        user, system = stat.rpartition(b")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def _end(self) -> Ended:
        """Return the words for a process that ended by itself."""
        status, printed = self._process.wait(), _short(self._printed.rstrip().rpartition(b"\n")[2])
        if status == 1 and printed:
            return Ended(printed)  # what Python says of an exception
        if status >= 0:
            return Ended(f"ended with status {status}, before it was done" + f": {printed}" * bool(printed))
        return Ended(f"ended by signal {-status}")

    def _read(self) -> None:
        """Queue the lines that are said, whole or too long; the end of a line may be missing where a worker died."""
        with self._process.stdout as stream:
            while (line := stream.readline(LONGEST_LINE)).endswith(b"\n") or len(line) == LONGEST_LINE:
                self._said.put(line)
                if len(line) == LONGEST_LINE:
                    return

    def _keep_last_words(self) -> None:
        """Take what the engine prints, so that it can go on, and keep the end of it."""
        with self._process.stderr as stream:
            while some := stream.read1(65536):
                self._printed = (self._printed + some)[-LAST_WORDS:]

    def _await_end(self, readers: Sequence[threading.Thread]) -> None:
        """Queue the end; a child that the engine left behind may hold the streams open, and is not waited for."""
        self._process.wait()
        until = time.monotonic() + LEAVES
        for thread in readers:
            thread.join(max(0.0, until - time.monotonic()))
        self._said.put(None)


def _short(text: bytes) -> str:
    said = text.decode(errors="replace").strip()
    return said if len(said) <= SENTENCE else said[:SENTENCE] + "..."
