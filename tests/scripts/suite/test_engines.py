"""The adapters of the contact suite: their form, and with installed engines, physics that needs no suite."""

import ast
import importlib.util
import sys
import types

import numpy as np
import pytest

from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import running, score, worker

ENGINES = running.engines()
# A setting in which the engine should get statics and free motion right; an engine of its defaults otherwise.
GOOD = {"mujoco": "stiff", "pybullet": "documented 1 ms", "drake": "corners", "dart": "ode", "sapien": "documented"} | {
    "rapier": "stiff",
    "newton": "steel 0.25 ms",
    "mujoco_warp": "stiff",
}
SHORT = ("test_an_engine_says_its_version",)  # of an engine on another's adapter; the rest takes minutes of compiling
TURNED = [0.5, 0.1, -0.7, 0.5]
MASS, INERTIA = 2.0, [0.01, 0.02, 0.025]


def tree(name):
    return ast.parse(ENGINES[name].read_text(encoding="utf-8"))


def foreign(name):
    """Return what a file imports, without what is Python's and what adapters share."""
    found = set()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            ours = {"." * node.level + (node.module or alias.name) for alias in node.names}
            found |= ours if node.level else {node.module.partition(".")[0]}
    return found - {"..adapting", *sys.stdlib_module_names}


def beneath(name):
    """Return the adapter on which another is built, or none."""
    return next((package.strip(".") for package in foreign(name) if package.startswith(".")), None)


@pytest.fixture(params=list(ENGINES))
def engine(request):
    """Return an engine that is installed here, and a setting of it; one on another's adapter is compared with that."""
    if beneath(request.param) and request.function.__name__ not in SHORT:
        pytest.skip(f"bodies, joints and drives are those of the adapter {beneath(request.param)}")
    packages = (package for package in foreign(request.param) if not package.startswith("."))
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed here: extra `suite-{request.param}`")
    module = worker.engine(ENGINES[request.param])
    return module, GOOD.get(request.param, "defaults")


def body(name, **more):
    made = {"name": name, "mass": MASS, "inertia": INERTIA, "position": [0.0, 0.0, 1.0], "shapes": []}
    return made | more


def ran(engine, bodies, duration=0.5, gravity=(0, 0, -9.81), **more):
    """Return the recording of a case made here."""
    empty = {"joints": [], "contacts": [], "forces": [], "measurements": [], "provenance": {}}
    case = {"id": "made_here", "gravity": list(gravity), "duration": duration, "bodies": bodies}
    module, setting = engine
    result, recording = worker.run(cases.complete(empty | case | more), module, setting)
    assert result["status"] == "ran", result
    return recording


def matrix(quaternion):
    w, x, y, z = quaternion
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * across + 2 * across @ across


def unit(quaternion):
    return (np.array(quaternion) / np.linalg.norm(quaternion)).tolist()


@pytest.mark.parametrize("name", ENGINES)
def test_an_adapter_has_the_names_of_the_contract(name):
    top = {node.name: node for node in tree(name).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assigned = [(node.targets[0], node.value) for node in tree(name).body if isinstance(node, ast.Assign)]
    values = {target.id: value for target, value in assigned if isinstance(target, ast.Name)}
    assert isinstance(values["NAME"], ast.Constant) and isinstance(values["SETTINGS"], ast.Dict)
    keys = [ast.literal_eval(key) for key in values["SETTINGS"].keys]
    assert keys[0] == "defaults" and len(keys) == len(set(keys)) > 2
    assert GOOD.get(name, "defaults") in keys
    bodies = top["Simulation"].body
    if beneath(name):
        bodies = bodies + next(node.body for node in tree(beneath(name)).body if isinstance(node, ast.ClassDef))
    methods = {node.name for node in bodies if isinstance(node, ast.FunctionDef)}
    assert isinstance(top["version"], ast.FunctionDef) and {"__init__", "step", "read"} <= methods


@pytest.mark.parametrize("name", ENGINES)
def test_an_adapter_needs_its_engine_numpy_and_what_adapters_share_alone(name):
    packages = foreign(name) - {"warp"}  # in which Newton's arrays are
    if beneath(name):
        packages -= foreign(beneath(name)) - {"numpy"} | {f".{beneath(name)}"}
    assert "numpy" in packages and len(packages) == 2, packages


def test_an_engine_says_its_version(engine):
    assert engine[0].version()[0].isdigit()


def test_every_setting_of_an_engine_runs(engine):
    module, _ = engine
    case = cases.load("block_stops") | {"duration": 0.02}
    for setting in module.SETTINGS:
        simulation = module.Simulation(case, dict(module.SETTINGS[setting]))
        simulation.step()
        assert 0 < simulation.read()[0] < 0.02 and np.isfinite(simulation.read()[1]).all()


@pytest.mark.parametrize("name", [name for name in ENGINES if beneath(name)])
def test_an_engine_on_anothers_adapter_computes_nearly_the_same(name):
    pytest.importorskip(name, reason=f"{name} is not installed here")
    case, readings = cases.load("slope_sticks"), []
    for one in (beneath(name), name):
        module = worker.engine(ENGINES[one])
        simulation = module.Simulation(case, dict(module.SETTINGS[GOOD[name]]))
        for _ in range(30):
            simulation.step()
        readings.append(simulation.read())
    (_, places, _, speeds, _, forces), (_, places_too, _, speeds_too, _, forces_too) = readings
    np.testing.assert_allclose(places_too, places, atol=1e-6)
    np.testing.assert_allclose(speeds_too, speeds, atol=1e-5)
    np.testing.assert_allclose(forces_too, forces, rtol=1e-3, atol=5e-3)
    assert np.linalg.norm(forces, axis=-1).min() > 1.0


def test_a_box_sticks_to_a_slope_and_a_block_stops(engine):
    module, setting = engine
    result, _ = worker.run(cases.load("slope_sticks"), module, setting)
    found = {row["name"]: row["error"] for row in result["measurements"]}
    assert found["creep 3"] < 0.02
    if hasattr(module, "CANNOT"):
        assert found["friction 3"] is None
    else:
        assert found["friction 3"] < 1e-3 and found["load 3"] < 1e-3
    result, recording = worker.run(cases.load("block_stops"), module, setting)
    assert recording.is_finite
    assert {row["name"]: row["error"] for row in result["measurements"]}["distance"] < 0.02


def test_a_free_body_flies_and_turns_as_euler_says(engine):
    start, spin = np.array([1.0, 2.0, 3.0]), np.array([3.0, 1.0, -2.0])
    thrown = body("a", quaternion=unit(TURNED), velocity=start.tolist(), angular_velocity=spin.tolist())
    made = ran(engine, [thrown])
    assert made.velocities[-1, 0] == pytest.approx(start - [0, 0, 9.81 * made.time[-1]], abs=1e-4)
    assert made.positions[-1, 0] == pytest.approx([0.5, 1, 1 + 1.5 - 9.81 / 8], abs=5e-3)
    moments = []
    for quaternion, rate in zip(made.quaternions[:, 0], made.angular_velocities[:, 0], strict=True):
        turn = matrix(quaternion)
        moments.append(turn @ np.diag(INERTIA) @ turn.T @ rate)
    assert np.ptp(moments, axis=0).max() < 3e-3 * np.linalg.norm(moments[0])  # first order in the step
    assert np.linalg.norm(made.angular_velocities[-1, 0] - spin) > 0.1


def chain():
    """Return two bodies in flight that a hinge joins, the second turning against the first, and its servo."""
    spin, hinge = np.array([0.1, -0.2, 0.3]), np.array([0.0, 2.0, 0.0])
    first = body("a", quaternion=unit(TURNED), velocity=[0.1, 0.2, 0.3], angular_velocity=spin.tolist())
    speed = np.array([0.1, 0.2, 0.3]) + np.cross(spin, [0.3, 0, 0]) + np.cross(spin + hinge, [0.2, 0, 0])
    other = {"velocity": speed.tolist(), "angular_velocity": (spin + hinge).tolist()}
    drive = {"stiffness": 5.0, "damping": 0.5, "times": [0.0, 0.5, 1.0], "targets": [0.0, 0.5, 0.5]}
    joint = {"name": "hinge", "type": "hinge", "parent": "a", "child": "b", "anchor": [0.3, 0, 1], "axis": [0, 1, 0]}
    return [first, body("b", position=[0.5, 0.0, 1.0], **other)], [joint | {"drive": drive}]


def test_a_joint_s_bodies_start_as_the_case_says(engine):
    bodies, joints = chain()
    made = ran(engine, bodies, joints=joints, gravity=(0, 0, 0))
    for field in ("position", "velocity", "angular_velocity"):
        read = {"position": made.positions, "velocity": made.velocities}.get(field, made.angular_velocities)
        assert read[0] == pytest.approx(np.array([each[field] for each in bodies]), abs=1e-6)
    assert matrix(made.quaternions[0, 0]) == pytest.approx(matrix(unit(TURNED)), abs=1e-6)


def test_a_servo_turns_two_free_bodies_and_keeps_their_momentum(engine):
    bodies, joints = chain()
    made = ran(engine, bodies, joints=joints, gravity=(0, 0, 0), duration=1.0)
    pushes, turns = MASS * made.velocities.sum(axis=1), []
    for instant in (0, -1):
        total = np.zeros(3)
        for index in (0, 1):
            turn = matrix(made.quaternions[instant, index])
            total += turn @ np.diag(INERTIA) @ turn.T @ made.angular_velocities[instant, index]
            total += MASS * np.cross(made.positions[instant, index], made.velocities[instant, index])
        turns.append(total)
    assert pushes[-1] == pytest.approx(pushes[0], abs=3e-3) and turns[1] == pytest.approx(turns[0], abs=3e-3)
    between = [matrix(made.quaternions[instant, 0]).T @ matrix(made.quaternions[instant, 1]) for instant in (0, -1)]
    angle = np.arccos((np.trace(between[1] @ between[0].T) - 1) / 2)
    assert angle == pytest.approx(0.4964, abs=5e-3)  # on its way to .5, within .01 of it; PhysX's torque is a sine


def test_a_spring_and_a_damper_oscillate_as_they_should(engine):
    joint = {"name": "slide", "type": "slide", "parent": "world", "child": "a", "axis": [0, 0, 1]}
    joint |= {"stiffness": 200.0, "damping": 4.0, "rest": 0.1}
    made = ran(engine, [body("a", quaternion=unit(TURNED), velocity=[0, 0, 0.3])], joints=[joint], duration=1.0)
    middle, decay = 0.1 - 9.81 * MASS / 200, 1.0
    rate = np.sqrt(200 / MASS - decay**2)
    swing = -middle * np.cos(rate * made.time) + (0.3 - decay * middle) / rate * np.sin(rate * made.time)
    assert made.positions[:, 0, 2] == pytest.approx(1 + middle + np.exp(-decay * made.time) * swing, abs=2e-3)


def test_a_push_off_centre_moves_and_turns_a_planar_body(engine):
    joint = {"name": "plane", "type": "planar", "parent": "world", "child": "a", "axis": [0, 0, 1]}
    push = {"body": "a", "force": [1.0, 0.0, 0.0], "point": [0.0, 0.1, 0.0], "during": [0.1, 0.3]}
    start = {"velocity": [0.2, 0.1, 0.0], "angular_velocity": [0.0, 0.0, 0.5]}
    made = ran(engine, [body("a", **start)], joints=[joint], forces=[push], duration=0.4)
    assert made.velocities[-1, 0] == pytest.approx([0.3, 0.1, 0], abs=1e-5 + 1 / MASS * 0.005)
    assert made.angular_velocities[-1, 0, 2] == pytest.approx(0.5 - 0.1 * 0.2 / INERTIA[2], abs=0.03)


def test_a_table_s_feet_carry_their_shares_and_only_the_pairs_touch(engine):
    places = [(x, y) for x in (-0.3, 0.2) for y in (-0.1, 0.1)]
    feet = [{"name": f"f{n}", "type": "point", "position": [x, y, -0.2]} for n, (x, y) in enumerate(places)]
    ground = {"name": "ground", "shapes": [{"name": "plane", "type": "plane"}]}
    ghost = {"name": "ghost", "position": [0, 0, 0.2], "shapes": [{"name": "box", "type": "box", "size": [1, 1, 1]}]}
    contacts = [
        {"name": f"c{n}", "between": [f"table.f{n}", "ground"] if n % 2 else ["ground", f"table.f{n}"], "friction": 0.5}
        for n in range(4)
    ]
    made = ran(engine, [body("table", position=[0, 0, 0.2], shapes=feet), ground, ghost], contacts=contacts)
    assert made.positions[-1, 0, 2] == pytest.approx(0.2, abs=1e-3)
    if hasattr(engine[0], "CANNOT"):
        assert np.isnan(made.forces).all()
        return
    loads = made.forces[-1, :, 2] * [-1, 1, -1, 1]
    weight = 9.81 * MASS
    assert loads.sum() == pytest.approx(weight, rel=1e-3)
    assert loads[:2].sum() == pytest.approx(0.4 * weight, rel=1e-2)


def test_a_belt_moves_as_it_is_told_and_takes_a_block_along(engine):
    motion = {"axis": [1, 0, 0], "times": [0.0, 0.2], "velocities": [0.3, -0.2]}
    belt = {"name": "belt", "motion": motion, "position": [0, 0, -0.5], "velocity": [0.3, 0, 0]}
    belt["shapes"] = [{"name": "box", "type": "box", "size": [5, 5, 0.5]}]
    block = body("block", position=[0, 0, 0.05], inertia=[0.03, 0.03, 0.05], velocity=[0.3, 0, 0])
    block["shapes"] = [{"name": "box", "type": "box", "size": [0.2, 0.2, 0.05]}]
    made = ran(engine, [block, belt], contacts=[{"name": "c", "between": ["block", "belt"], "friction": 0.6}])
    assert made.positions[-1, 1, 0] == pytest.approx(0.3 * 0.2 - 0.2 * (made.time[-1] - 0.2), abs=2e-3)
    assert made.velocities[-1, 0, 0] == pytest.approx(-0.2, abs=2e-3)


def test_forces_that_an_engine_does_not_show_are_neither_right_nor_wrong():
    class Blind(types.SimpleNamespace):
        SETTINGS, CANNOT = {"only": {}}, {"force": "Blind shows no forces"}

        class Simulation:
            def __init__(self, case, setting):
                self.case, self.time = case, 0.0

            def step(self):
                self.time += 0.5

            def read(self):
                n, bodies = len(self.case["contacts"]), self.case["bodies"]
                still, turns = np.zeros((len(bodies), 3)), np.array([each["quaternion"] for each in bodies], float)
                places = np.array([each["position"] for each in bodies], float)
                return self.time, places, turns, still, still, np.full((n, 3), np.nan)

    case = cases.load("slope_sticks")
    result, _ = worker.run(case, Blind, "only")
    passed = {row["name"]: row["passed"] for row in result["measurements"]}
    assert result["passed"] and passed["creep 1"] is True and passed["load 1"] is None
    assert score.error(result) == 0 and score.cell(result) == "0"
    case["measurements"] = [each for each in case["measurements"] if each["quantity"] == "force"]
    result, _ = worker.run(case, Blind, "only")
    assert result == {"status": "cannot", "why": "Blind shows no forces"}


def test_what_an_adapter_cannot_represent_is_a_sentence(engine):
    module, setting = engine
    contacts = [{"name": "one", "between": ["a", "b"], "friction": [0.7, 0.1], "direction": [1, 1, 1]}]
    sphere = [{"name": "sphere", "type": "sphere", "size": [0.1]}]
    bodies = [body(name, shapes=sphere, position=[n, 0, 1]) for n, name in enumerate("ab")]
    empty = {"id": "x", "joints": [], "forces": [], "measurements": [], "gravity": [0, 0, -9.81], "provenance": {}}
    case = cases.complete(empty | {"duration": 0.1, "bodies": bodies, "contacts": contacts})
    with pytest.raises(NotImplementedError) as said:
        module.Simulation(case, dict(module.SETTINGS[setting]))
    assert "friction" in str(said.value) and "\n" not in str(said.value) and len(str(said.value)) < 120
