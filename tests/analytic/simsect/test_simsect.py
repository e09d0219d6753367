"""SimSect's init files: what is read, what is refused and where, and that the outputs reproduce the run."""

import re
import signal

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic import simsect
from tarsus.scripts.command.verbs import simsect as script

FIGURE_1 = """
### This is a comment
systemName = "slip";
recordPeriod = 0.01;
measurePeriod = 0.1;
dataBaseName = "hexapod";   # trailing comment with a # and a = and "quotes"
useGeomview = 1;
framerate = 30;

# Integration engine related parameters
finalTime = 5;
maxChartCount = 128000;
stopPrecision = 1e-10;
maxStopIterations = 128;
tolerance = 1e-5;
maxTimeStep = 1e-3;
minTimeStep = 1e-15;
rkPower = 0.33;
"""


def test_the_manuals_example_is_read():
    run = simsect.setup(simsect.parse(FIGURE_1))
    assert run.settings == {
        "final_time": 5.0,
        "rtol": 1e-5,
        "atol": 1e-5,
        "max_step": 1e-3,
        "min_step": 1e-15,
        "exponent": 0.33,
        "record_period": 0.01,
        "measure_period": 0.1,
        "max_charts": 128000,
        "stop_precision": 1e-10,
        "max_stop_iter": 128,
    }
    assert run.base == "hexapod" and run.use_view
    assert run.params == {"framerate": 30.0} and run.view["framerate"] == 30.0


def test_defaults_are_the_manuals():
    run = simsect.setup(simsect.parse('systemName = "slip";'))
    s = run.settings
    assert (run.base, run.use_view) == ("SimSect", False)
    assert (s["final_time"], s["rtol"], s["max_step"], s["max_charts"], s["max_stop_iter"]) == (
        1.0,
        1e-4,
        1e-2,
        128,
        128,
    )


@pytest.mark.parametrize(
    "one, other",
    [("power", "rkPower"), ("maxStopIter", "maxStopIterations"), ("frameRate", "framerate"), ("spr_i", "spri")],
)
def test_both_spellings(one, other):
    texts = [f'systemName = "slip"; {name} = 2;' for name in (one, other)]
    a, b = (simsect.setup(simsect.parse(text)) for text in texts)
    assert (a.settings, a.params, a.view) == (b.settings, b.params, b.view)
    assert 2.0 in [*a.settings.values(), *a.params.values()]


def test_the_last_assignment_wins_and_layout_is_free():
    symbols = simsect.parse('a=1;b = -2.5e-3 ;\n a\n=\n3.; s = "#no comment; = ";')
    assert symbols["a"].value == 3.0 and symbols["a"].line == 2
    assert symbols["b"].value == -2.5e-3 and symbols["s"].value == "#no comment; = "


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("\n\nfinalTime = 5\nx = 1;", r"SimSect.rc:3: expected ';' after the value of finalTime"),
        ("x 5;", r"SimSect.rc:1: expected '=' after x"),
        ("x = y;", r"SimSect.rc:1: x needs a number or a quoted string"),
        ("\n5 = x;", r"SimSect.rc:2: expected a name, got '5'"),
        ('x = "open;\n', r"SimSect.rc:1: cannot read '\"open;'"),
        ("x = 1; ?", r"SimSect.rc:1: cannot read '\?'"),
        ('systemName = "akh";', "SimSect.rc:1: unknown system 'akh'; known: " + ", ".join(simsect.SYSTEMS)),
        ("wind = 1;", r"SimSect.rc:1: unknown symbol 'wind'; known: .*rho0_k"),
        (
            'systemName = "slip";\nfinaltime = 3;',
            r"SimSect.rc:2: unknown symbol 'finaltime'; known: .*finalTime.*body_mass",
        ),
        ('systemName = "slip";\ntolerance = "low";', r"SimSect.rc:2: tolerance must be a number, got 'low'"),
        ('systemName = "slip"; dataBaseName = 3;', r"SimSect.rc:1: dataBaseName must be a quoted string, got 3.0"),
    ],
)
def test_mistakes_are_named_with_file_and_line(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        simsect.setup(simsect.parse(text))


@pytest.mark.parametrize("system", simsect.SYSTEMS)
def test_every_system_runs_from_an_init_file_and_writes_its_symbols(system, tmp_path):
    path = tmp_path / "SimSect.rc"
    path.write_text(f'systemName = "{system}"; dataBaseName = "{tmp_path / "run"}"; finalTime = 0.01;')
    assert script.main(["-c", str(path), "--mode", "python"]) == 0
    model = simsect.load(path).model
    for ending, names in {"initial": model.state_names, "param": model.param_names}.items():
        lines = (tmp_path / f"run.{ending}").read_text().splitlines()
        assert set(names) <= {line.partition(" = ")[0] for line in lines}


def test_unknown_symbols_may_be_ignored():
    run = simsect.setup(simsect.parse('systemName = "slip"; wind = 3;'), strict=False)
    assert run.state == {}


def rc(folder, text):
    path = folder / "SimSect.rc"
    path.write_text(f'systemName = "slip"; dataBaseName = "{folder / "run"}";\n{text}')
    return path


def test_outputs_reproduce_the_run(tmp_path, capsys):
    path = rc(
        tmp_path,
        "finalTime = 0.7; recordPeriod = 0.05; tolerance = 1e-10; xdot = 1.25; k = 1100; touchdown_angle = 0.05;",
    )
    assert script.main(["-c", str(path), "--mode", "python"]) == 0
    data = np.loadtxt(tmp_path / "run.data")
    assert data.shape == (15, 5) and data[0].tolist() == [0.0, 0.0, 0.9, 1.25, 0.0]
    again = (tmp_path / "run.initial").read_text() + (tmp_path / "run.param").read_text()
    rc(tmp_path, "finalTime = 0.7; recordPeriod = 0.05; tolerance = 1e-10;\n" + again)
    assert script.main(["-c", str(path), "--mode", "python", "--force"]) == 0
    assert np.array_equal(np.loadtxt(tmp_path / "run.data"), data)


def test_progress_is_reported_at_the_measure_period(tmp_path, capsys):
    path = rc(tmp_path, "finalTime = 0.3; measurePeriod = 0.1; tolerance = 1e-6;")
    script.main(["-c", str(path), "--mode", "python"])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("t = ")]
    assert [line.split()[2] for line in lines] == ["0.1", "0.2", "0.3"]


def test_inputs_are_written_before_the_run_and_data_after_a_failure(tmp_path, capsys):
    path = rc(tmp_path, "finalTime = 2; maxChartCount = 3;")
    assert script.main(["-c", str(path), "--mode", "python"]) == 1
    assert "another event was due" in capsys.readouterr().out
    assert np.loadtxt(tmp_path / "run.data").shape[0] > 3


def test_a_missing_file_and_wrong_values_are_sentences(tmp_path, capsys):
    assert script.main(["-c", str(tmp_path / "none.rc")]) == 2
    assert "cannot read the init file" in capsys.readouterr().err
    assert script.main(["-c", str(rc(tmp_path, "tolerance = -1;"))]) == 2
    assert "rtol must be positive, got -1.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("\nk = 1e999;", "SimSect.rc:3: k must be at most 1e.12 in size, got 1e999"),
        ("x = -1e30;", "SimSect.rc:2: x must be at most 1e.12 in size, got -1e30"),
        ("maxChartCount = 1e30;", "SimSect.rc:2: maxChartCount must be at most"),
        ("maxChartCount = 2.5;", "SimSect.rc:2: maxChartCount must be a whole number, got 2.5"),
        ("finalTime = -1;", "SimSect.rc:2: finalTime must not be negative, got -1"),
        ("finalTime = 1; recordPeriod = 1e-300;", "SimSect.rc:2: recordPeriod must be 0 or at least finalTime / 1e.07"),
        ("finalTime = 1; measurePeriod = 1e-300;", "SimSect.rc:2: measurePeriod must be 0 or at least"),
        ("framerate = 0;", "framerate must be positive"),
        ("framerate = 1e9;", "SimSect.rc:2: framerate must be at most 10000, got 1e.09"),
        ("grid_xsize = -3;", "SimSect.rc:2: grid_xsize must be positive, got -3"),
        ("grid_ysteps = 1e9;", "SimSect.rc:2: grid_ysteps must make squares of"),
        ("body_mass = -3;", "SimSect.rc: body_mass must be positive, got -3.0"),
        ("spri = 0;", "SimSect.rc: the spring's exponents must not be zero"),
        ("g_stance = -9.81;", "SimSect.rc: g_stance must not be negative, got -9.81"),
        (
            'dataBaseName = "nowhere/run";',
            "dataBaseName 'nowhere/run' cannot be written to: there is no folder nowhere",
        ),
        ('dataBaseName = "taken";', "taken.param is a folder"),
    ],
)
def test_values_that_no_run_can_have_are_refused_before_it(text, sentence, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.param").mkdir()
    path = rc(tmp_path, text)
    before = sorted(tmp_path.iterdir())
    assert script.main(["-c", str(path), "--mode", "python"]) == 2
    captured = capsys.readouterr()
    assert re.search(sentence, captured.err) and captured.err.count("\n") == 1 and not captured.out
    assert sorted(tmp_path.iterdir()) == before


def test_a_binary_file_is_not_read_as_an_init_file(tmp_path, capsys):
    for content in (bytes(range(256)), b"\xff\xfe\x00", b"\x00" * 64):
        (tmp_path / "binary.rc").write_bytes(content)
        assert script.main(["-c", str(tmp_path / "binary.rc")]) == 2
        assert re.match("tarsus simsect: .*binary.rc.*(not a text|cannot read)", capsys.readouterr().err)


def test_files_of_an_older_run_are_kept_and_replaced_with_force(tmp_path, capsys):
    path = rc(tmp_path, "finalTime = 0.1; tolerance = 1e-6;")
    for _ in range(2):
        assert script.main(["-c", str(path), "--mode", "python"]) == 0
    first = (tmp_path / "run.data").read_text()
    assert first == (tmp_path / "run-2.data").read_text() and (tmp_path / "run-2.param").exists()
    rc(tmp_path, "finalTime = 0.2; tolerance = 1e-6;")
    assert script.main(["-c", str(path), "--mode", "python", "--force"]) == 0
    assert (tmp_path / "run.data").read_text() != first and not (tmp_path / "run-3.data").exists()
    film = tmp_path / "run.gif"
    film.write_text("mine")
    assert script.main(["-c", str(path), "--mode", "python", "--video", str(film)]) == 2
    assert "run.gif exists already; --force replaces it" in capsys.readouterr().err and film.read_text() == "mine"


def test_ctrl_c_ends_a_run_with_its_data_and_film_until_then(tmp_path, monkeypatch, capsys):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    seen = []

    def press(t, *rest):
        seen.append(t)
        if len(seen) == 2:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(script, "progress", lambda model: press)
    path = rc(tmp_path, "finalTime = 0.8; measurePeriod = 0.1; recordPeriod = 0.1; framerate = 10; tolerance = 1e-6;")
    try:
        assert script.main(["-c", str(path), "--mode", "python", "--video", str(tmp_path / "run.gif")]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    out, err = capsys.readouterr()
    data = np.loadtxt(tmp_path / "run.data")
    assert 0.15 < data[-1, 0] < 0.35 and (tmp_path / "run.gif").exists()
    assert "interrupted at t = " in err and str(tmp_path / "run.data") in err and err.count("\n") == 1


def test_view_calls_come_at_the_frame_rate_and_can_stop_the_run():
    run = simsect.setup(simsect.parse('systemName = "slip"; framerate = 10; finalTime = 1; tolerance = 1e-6;'))
    seen = []

    def frame(t, x, d, chart):
        seen.append(t)
        return t >= 0.5

    result = simsect.integrate(run, hy.compile(run.model, mode="python"), on_frame=frame)
    assert np.allclose(seen, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert result.status is hy.Status.STOPPED


def test_a_run_can_be_filmed(tmp_path, capsys):
    import imageio

    path = rc(tmp_path, "finalTime = 0.2; framerate = 25; tolerance = 1e-6; grid_xsteps = 10;")
    script.main(["-c", str(path), "--mode", "python", "--video", str(tmp_path / "run.gif")])
    frames = imageio.mimread(tmp_path / "run.gif")
    assert len(frames) == 6
    assert any(np.any(frame != frames[0]) for frame in frames[1:])


def test_without_a_display_the_view_is_off_and_the_run_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    path = rc(tmp_path, "finalTime = 0.1; useGeomview = 1; tolerance = 1e-6;")
    assert script.main(["-c", str(path), "--mode", "python"]) == 0
    assert "no view: there is no display" in capsys.readouterr().err
    assert (tmp_path / "run.data").exists()


def test_root_finder():
    assert abs(simsect.find_root(lambda x: x * x - 2.0, 1.0) - 2.0**0.5) < 1e-15
    with pytest.raises(ValueError, match="no zero found near 0"):
        simsect.find_root(lambda x: x * x + 1.0, 0.1)


HEXAPOD = """
systemName = "hexapod"; maxChartCount = 1000; finalTime = 0.05; tolerance = 1e-6;
terrain_type = "sinusoid"; terrain_arg1 = 0.02; cycle_time = 0.8; rho0_k = 520; # gentle
"""


def test_the_hexapods_words_and_symbols_make_its_model():
    run = simsect.setup(simsect.parse(HEXAPOD))
    assert run.words == {"robot": "table2", "terrain_type": "sinusoid", "control_type": "open-loop"}
    table = dict(zip(run.model.param_names, run.model.p0, strict=True))
    assert (table["terrain_arg1"], table["terrain_arg2"], table["cycle_time"], table["rho0_k"]) == (0.02, 15, 0.8, 520)
    assert run.ground.amplitude == 0.02
    toes = run.model.x0[13:49].reshape(6, 6)
    gap = toes[:, 2] - run.ground.height(toes[:, 0], toes[:, 1])
    assert gap.min() == pytest.approx(0.0, abs=1e-15)  # the start knows the ground and the legs that were asked for


def test_a_controller_is_chosen_by_control_type():
    run = simsect.setup(simsect.parse('systemName = "hexapod"; control_type = "hold"; hold2_angle = 0.1;'))
    assert run.params["hold2_angle"] == 0.1
    with pytest.raises(ValueError, match="unknown control_type 'fly'; there are open-loop, hold"):
        simsect.setup(simsect.parse('systemName = "hexapod"; control_type = "fly";'))
    with pytest.raises(ValueError, match="unknown terrain 'moon'; there are .*flat"):
        simsect.setup(simsect.parse('systemName = "hexapod"; terrain_type = "moon";'))
    with pytest.raises(ValueError, match="SimSect.rc:1: terrain_type must be a quoted string, got 3.0"):
        simsect.setup(simsect.parse('systemName = "hexapod"; terrain_type = 3;'))
    with pytest.raises(ValueError, match="flight_time must lie between 0 and cycle_time"):
        simsect.setup(simsect.parse('systemName = "hexapod"; flight_time = 2;'))


@pytest.mark.extra
def test_the_inputs_it_writes_run_again(tmp_path, capsys):
    path = tmp_path / "a.rc"
    short = "finalTime = 0.004; tolerance = 1e-5;"
    path.write_text(HEXAPOD + f'{short} dataBaseName = "{tmp_path}/a";')
    assert script.main(["-c", str(path), "--mode", "python"]) == 0
    again = tmp_path / "b.rc"
    inputs = (tmp_path / "a.initial").read_text() + (tmp_path / "a.param").read_text()
    settings = f'systemName = "hexapod"; maxChartCount = 1000; {short}'
    again.write_text(settings + f'dataBaseName = "{tmp_path}/b";' + inputs)
    assert script.main(["-c", str(again), "--mode", "python"]) == 0
    assert (tmp_path / "a.data").read_text() == (tmp_path / "b.data").read_text()


def test_a_file_names_the_hexapod_whose_symbols_it_leaves_out(tmp_path):
    file = tmp_path / "SimSect.rc"
    file.write_text('systemName = "hexapod";\nrobot = "rhex";\nKD = 0.5;\n')
    run = simsect.load(file)
    p = dict(zip(run.model.param_names, run.model.p0, strict=True))
    assert (p["body_mass"], p["KP"], p["KD"], p["leg_offset"], p["rho1_k"]) == (7.0, 24.03, 0.5, 0.175, 1600.0)
    p = simsect.load(file, given={"robot": "table2"}).model.p0
    assert p[0] == 6.0
    with pytest.raises(ValueError, match="unknown robot 'rex'; there are table2, rhex"):
        simsect.load(file, given={"robot": "rex"})
