"""Workers and engines that misbehave at any moment: every case has its result, and nothing runs for ever."""

import collections
import json
import sys
import textwrap

import pytest
from budget import tries

from tarsus.scripts.suite import running

IDS = ["slope_sticks", "block_stops", "sphere_rolls", "two_blocks"]
KNOWN = running.About("Fake", "1", ["only"])
STATUSES = {"ran", "cannot", "diverged", "slow", "crashed"}
# A worker that does what its plan says: before it is ready, and before, in and after every case.
FAKE = """
import json, os, signal, sys, time
plan, waiting = json.load(open(sys.argv[3])), [word for word in sys.argv[5:sys.argv.index("--cases")]]

def do(act, *words):
    if act == "exit":
        os._exit(*words)
    elif act == "signal":
        os.kill(os.getpid(), *words)
    elif act == "say":  # and go on as if nothing were
        os.write(1, words[0].encode("latin-1"))
    elif act == "say much":
        try:
            while True:
                os.write(1, words[0].encode("latin-1") * 10_000)
        except BrokenPipeError:
            os._exit(0)
    elif act == "print":
        os.write(2, words[0].encode("latin-1") * 100_000)
    elif act == "close":
        os.close(1)
        do(*words[0])
    elif act == "sleep":
        while True:
            time.sleep(1000)

do(*plan["ready"])
os.write(1, b'{"engine": "Fake", "version": "1", "settings": ["only"]}\\n')
for name in waiting:
    before, within, after = plan[name]
    do(*before)
    begins = json.dumps({"begins": name}) + "\\n"
    result = json.dumps({"id": name, "status": "cannot", "why": name}) + "\\n"
    if within == ["nothing"]:
        os.write(1, (begins + result).encode())  # at once: how long a case takes is not for a busy machine to say
    else:
        os.write(1, begins.encode())
        do(*within)
        os.write(1, result.encode())
    do(*after)
"""
HARMLESS = [["nothing"], ["print", "word\n"], ["print", "\xff\x00"]]
HARMFUL = [
    *(["exit", status] for status in (0, 1, 2, 77, 255)),
    *(["signal", number] for number in (6, 9, 11, 15, 27)),
    *(
        ["say", line + "\n"]
        for line in ("", "hello", "[]", "7", "{}", "\xff\xfe\x00", '{"begins": 3}', '{"died": "no"}')
    ),
    *(["say", line + "\n"] for line in ("[" * 10_000, "NaN", '{"begins": "moon"}', '{"id": "moon", "status": "ran"}')),
    *(["say", json.dumps(line) + "\n"] for line in ({"engine": "a"}, {"id": IDS[0], "status": "crashed", "why": ""})),
    ["say", '{"id": "block_stops", "status": "ran", "measurements": [{}], "passed": true, "steps": 1, "cost": 1}\n'],
    ["say", '{"id": "block_stops", "status": "ran", "measurements": [], "passed": true, "steps": 1, "cost": NaN}\n'],
    *(["say much", text] for text in ("x", "x\n", "{")),
    ["close", ["exit", 0]],
    ["close", ["signal", 11]],
]
SILENT = [["sleep"], ["close", ["sleep"]]]


def half_line(rng):
    """Return what says a part of a line and no more."""
    return ["say", '{"begins": "block_st'[: rng.integers(1, 20)]]


def act(rng, silent=False):
    """Return something that a worker does, and whether it should have done otherwise."""
    if rng.random() < 0.7:
        return HARMLESS[rng.choice(3, p=[0.8, 0.1, 0.1])], False
    choice = [*HARMFUL, half_line(rng), *(SILENT if silent else [])]
    return choice[rng.integers(len(choice))], True


def foretold(plan, bad):
    """Return the status of every case, and how many workers it takes."""
    if bad["ready"]:
        return dict.fromkeys(IDS, "crashed"), 1
    found, workers = {}, 0
    while len(found) < len(IDS):
        workers += 1
        for name in IDS[len(found) :]:
            before, within, after = bad[name]
            found[name] = "crashed" if before or within else "cannot"
            if before or within:
                break
            if after:
                if len(found) < len(IDS):
                    found[IDS[len(found)]] = "crashed"
                break
    return found, workers


@pytest.fixture
def python(tmp_path):
    path = tmp_path / "python"
    path.write_text(f"#!{sys.executable} -IS\n{FAKE}")
    path.chmod(0o755)
    return path


@pytest.fixture
def started(monkeypatch):
    """Count the workers that are started; those that sleep in a case are ended soon."""
    count = collections.Counter()

    class Counted(running.Process):
        def __init__(self, python, words):
            count["workers"] += 1
            super().__init__(python, words)

    monkeypatch.setattr(running, "Process", Counted)
    monkeypatch.setattr(running, "ASLEEP", 0.3)
    return count


def test_whatever_a_worker_does_costs_the_case_that_it_does_it_in(tmp_path, python, started):
    tried, path = collections.Counter(), tmp_path / "plan.py"
    for rng in tries(seed=2, count=40):
        acts = {"ready": act(rng) if rng.random() < 0.2 else (["nothing"], False)}
        acts |= {name: [act(rng), act(rng, silent=True), act(rng)] for name in IDS}
        plan = {key: [a for a, _ in some] if key != "ready" else some[0] for key, some in acts.items()}
        bad = {key: [b for _, b in some] if key != "ready" else some[1] for key, some in acts.items()}
        path.write_text(json.dumps(plan))
        started.clear()
        made = running.run(path, IDS, str(python), longest=0.01, known=KNOWN)["results"]["only"]
        statuses, workers = foretold(plan, bad)
        assert {name: result["status"] for name, result in made.items()} == statuses, (plan, made)
        assert started["workers"] == workers
        json.dumps(made, allow_nan=False)
        tried.update(statuses.values())
    print(f"{tried.total()} cases of workers that misbehave: {dict(tried)}")
    assert set(tried) == {"cannot", "crashed"}, "one side is not tried"


ENGINE = """
    import os, signal, sys
    import numpy as np
    {importing}
    NAME, SETTINGS = "Still", {{"only": {{}}}}
    def version():
        {asked}
        return "1"
    class Simulation:
        def __init__(self, case, setting):
            self.case, self.time = case, 0.0
            {built}
        def step(self):
            self.time += 0.1
            {stepping}
        def read(self):
            {reading}
            n, m = len(self.case["bodies"]), len(self.case["contacts"])
            return self.time, np.zeros((n, 3)), np.eye(4)[[0] * n], np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((m, 3))
"""
PIPES = "[fd for fd in range(3, 20) if 'pipe:' in os.path.realpath(f'/proc/self/fd/{fd}')]"
DEEDS = (
    "pass",
    f"[os.write(fd, b'{{}}\\n') for fd in {PIPES}]",
    "os._exit(0)",
    "os._exit(9)",
    "sys.exit()",
    "sys.exit('no licence')",
    "raise SystemExit(3)",
    "raise KeyboardInterrupt",
    "raise NotImplementedError",
    "raise BaseException('\\ud800')",
    "os.kill(os.getpid(), signal.SIGSEGV)",
    "os.closerange(0, 30)",
    "os.write(1, b'x' * 3_000_000)",
    "sys.stdout.close()",
    "sys.setrecursionlimit(10**6); (f := lambda: f())()",
    "NAME, SETTINGS = {}, []",
    "return None",
    "return float('nan')",
)


def test_whatever_an_engine_does_every_case_has_a_status(tmp_path, started):
    tried, path = collections.Counter(), tmp_path / "engine.py"
    places = ("importing", "asked", "built", "stepping", "reading")
    for rng in tries(seed=3, count=4):
        where, deed = places[rng.integers(len(places))], DEEDS[rng.integers(len(DEEDS))]
        text = textwrap.dedent(ENGINE.format(**dict.fromkeys(places, "pass") | {where: deed}))
        path.write_text(text)
        started.clear()
        made = running.run(path, IDS[:2], longest=1.0)
        found = made["results"].get("only", {})
        assert set(found) == (set() if "why" in made else set(IDS[:2])), (where, deed)
        assert {result["status"] for result in found.values()} <= STATUSES
        assert started["workers"] <= 3
        json.dumps(made, allow_nan=False)
        tried["did not run" if "why" in made else " and ".join(result["status"] for result in found.values())] += 1
    print(f"{tried.total()} engines that misbehave: {dict(tried)}")
