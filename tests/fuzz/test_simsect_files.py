"""Mutants of SimSect's init files: refused by one sentence, or run to a status, and their outputs reproduce it."""

import collections
import functools
import re
from dataclasses import replace

import numpy as np
import pytest
from budget import tries

from tarsus.analytic import hybrid as hy
from tarsus.analytic import simsect
from tarsus.analytic.simsect.init_file import INTEGRATOR, VIEW
from tarsus.scripts.command import arguments
from tarsus.scripts.command.verbs import simsect as command

SLIP = """
# SimSect's own example
systemName = "slip"; dataBaseName = "run"; useGeomview = 0; framerate = 30;
recordPeriod = 0.01; measurePeriod = 0.1; finalTime = 0.2; maxChartCount = 100; stopPrecision = 1e-10;
maxStopIterations = 128; tolerance = 1e-5; maxTimeStep = 1e-2; minTimeStep = 1e-15; rkPower = 0.33;
body_mass = 10; y = 1.1; xdot = 2;
"""
HEXAPOD = """
systemName = "hexapod"; dataBaseName = "run"; robot = "rhex"; finalTime = 0.01; tolerance = 1e-6;
terrain = "ditchedflat"; terrain_arg1 = 0.0; terrain_arg2 = .5; terrain_arg3 = .2; # its depth and more
body_mass = 7; friction_coeff = 0.5; rho0_k = 1200; theta1_d = .12; attach2_x = .1; leg_mass = .01;
grid_xsize = 4; grid_ysize = 4; grid_xsteps = 40; grid_ysteps = 40; movie_filename = "walk";
r_x = 0; r_y = -0.5; v_x = 0; cycle_time = 0.8;
"""
FILES = {"slip": SLIP, "hexapod": HEXAPOD}
WORDS = (
    *(
        "0",
        "1",
        "-1",
        "0.5",
        "1e-300",
        "1e-12",
        "1e9",
        "1e12",
        "1e13",
        "1e400",
        "9" * 400,
        "nan",
        "inf",
        ".",
        "+",
        "1e",
    ),
    *('""', '"slip"', '"hexapod"', '"moon"', '"a/b"', '"../x"', '"\0"', '"' + "x" * 300 + '"', '"\ud800"', '"é"', '"'),
    *(
        "{}",
        "{1 2}",
        '{"a" "b"}',
        '{1 "a"}',
        "{1",
        "}",
        "=",
        ";",
        "# a comment\n",
        "\r\n",
        "\f",
        "\u2028",
        "é",
        "x",
        "{{1}}",
    ),
)
NUMBER = re.compile(r"(?<== )[^;]+(?=;)")
LONGEST = 0.02  # what is run of what is accepted [s]


class Began(Exception):
    """The file was accepted, and its run would begin."""


@functools.cache
def symbols(system):
    """Return every symbol that a system takes."""
    model = simsect.setup(simsect.parse(f'systemName = "{system}";')).model
    own = simsect.SYSTEMS[system]
    return (*INTEGRATOR, *VIEW, *own.words, *own.placing, *model.state_names, *model.memory_names, *model.param_names)


def mutant(rng):
    """Return the text of an init file that is not quite one."""
    system = str(rng.choice(list(FILES)))
    text = FILES[system]
    for _ in range(rng.integers(1, 3)):
        word = WORDS[rng.integers(len(WORDS))] if rng.random() < 0.4 else f"{10 ** rng.uniform(-4, 3):.3g}"
        place = int(rng.integers(len(text) + 1))
        values = list(NUMBER.finditer(text))
        match rng.integers(9):
            case 0:
                text = text[:place] + word + text[place:]
            case 1:
                text = text[:place] + text[place + rng.integers(1, 30) :]
            case 2:
                text = text[:place]
            case 3 | 4 | 5 if values:
                value = values[rng.integers(len(values))]
                text = text[: value.start()] + word + text[value.end() :]
            case _:
                text += f"{rng.choice(symbols(system))} = {word};\n"
    return text


@pytest.fixture
def outcome(monkeypatch, capsys, tmp_path):
    """Return a function that gives a text to the command: "" if it is accepted, else the sentence."""
    monkeypatch.chdir(tmp_path)

    def begin():
        raise Began

    monkeypatch.setattr(arguments, "begin", begin)

    def run(text):
        (tmp_path / "SimSect.rc").write_bytes(text.encode("utf-8", errors="surrogatepass"))
        try:
            status = command.main([])
        except Began:
            return ""
        finally:
            assert [path.name for path in tmp_path.iterdir()] == ["SimSect.rc"]
        out, err = capsys.readouterr()
        assert status == 2 and not out and err.count("\n") == 1 and err.startswith("tarsus simsect: "), (text, err)
        return err

    return run


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_mutant_is_refused_in_a_sentence_or_accepted(outcome):
    found = collections.Counter()
    for rng in tries(0, 400):
        sentence = outcome(mutant(rng))
        found["refused" if sentence else "accepted"] += 1
    print(f"init files: {dict(found)}")
    assert min(found["accepted"], found["refused"]) > 0.1 * found.total()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_accepted_of_slip_ends_with_a_status_and_numbers_that_reproduce_it(tmp_path):
    found = collections.Counter()
    for rng in tries(1, 150):
        text = mutant(rng)
        try:
            run = simsect.setup(simsect.parse(text))
            hy.Options(**run.settings)
        except ValueError:
            continue
        if run.system != "slip":
            continue
        run.settings["final_time"] = min(run.settings["final_time"], LONGEST)
        run.settings["max_charts"] = min(run.settings["max_charts"], 20)
        run.settings["max_steps"] = 10_000  # of tiny ones, which a file may ask for
        sim = hy.compile(run.model, None, "python")
        result = simsect.integrate(run, sim)
        found[result.status.name] += 1
        assert result.message and np.isfinite(result.t).all()
        inputs = "".join(path.read_text() for path in simsect.write_inputs(replace(run, base=tmp_path / "run"), sim))
        again = replace(simsect.setup(simsect.parse('systemName = "slip";' + inputs)), settings=run.settings)
        np.testing.assert_array_equal(simsect.integrate(again, sim).x, result.x)
    print(f"init files of SLIP that ran: {dict(found)}")
    assert found[hy.Status.FINAL_TIME.name] > 10


@pytest.mark.parametrize("system", FILES)
def test_the_files_that_are_mutated_are_right(outcome, system):
    assert outcome(FILES[system]) == ""
