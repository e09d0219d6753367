"""Guards that rest at zero: neither negative nor an event, and armed once they have certainly been positive.

Truth is in closed form: a departure at time T along A s^p (r1 - s) (r2 - s), s = t - T, by a chart, by the field
itself, or by another guard's reset.
"""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status

ENTRIES = ("refuse", "ignore", "ignore_later", "fire")
THRUST = 30.0 - 9.81  # [m/s^2], from 1 s to 1.5 s
SPEED, HEIGHT = 0.5 * THRUST, 0.125 * THRUST
LANDING = 1.5 + (SPEED + math.sqrt(SPEED**2 + 2 * 9.81 * HEIGHT)) / 9.81
A, P, R1, R2, T = range(5)


def rocket(entry: str, charts: int) -> hy.Model:
    """A body on the ground, z = w = 0 exactly, whose thrust begins by a chart of its own or inside its field."""
    model = hy.Model("rocket", state={"z": 0.0, "w": 0.0}, charts=["stand", "fly"][:charts])

    @model.field("stand")
    def stand(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = 0.0 if t < 1.0 or charts == 2 else (30.0 if t < 1.5 else 0.0) - 9.81

    if charts == 2:

        @model.field("fly")
        def fly(t, x, d, p, dx):
            dx[0] = x[1]
            dx[1] = (30.0 if t < 1.5 else 0.0) - 9.81

        @model.guard("stand", to="fly", on_entry="ignore")
        def ignite(t, x, d, p):
            return 1.0 - t

    @model.guard(*["stand", "fly"][:charts], to="stand", on_entry=entry)
    def ground(t, x, d, p):
        return x[0]

    @model.reset("ground")
    def land(t, x, d, p):
        x[0] = x[1] = 0.0

    return model


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("charts", (1, 2))
def test_a_body_at_rest_that_leaves_the_ground_lands(charts, entry):
    run = hy.compile(rocket(entry, charts), mode="python").run(final_time=3.8, stop_at="ground")
    assert run.status is Status.STOPPED
    np.testing.assert_allclose(run.events.t[-1], LANDING, rtol=1e-9)
    assert run.x[:, 0].min() >= -1e-9


def curve(direction: int, entry: str = "ignore") -> hy.Model:
    """Rest until T, then the polynomial; the guard only counts."""
    model = hy.Model("curve", state={"x": 0.0}, params={"p": np.zeros(5)}, charts=["rest", "move"])

    @model.field("rest")
    def rest(t, x, d, p, dx):
        dx[0] = 0.0

    @model.field("move")
    def move(t, x, d, p, dx):
        s = t - p[T]
        e = p[P]
        dx[0] = p[A] * (e * p[R1] * p[R2] * s ** (e - 1) - (e + 1) * (p[R1] + p[R2]) * s**e + (e + 2) * s ** (e + 1))

    @model.guard("rest", to="move", on_entry="ignore")
    def go(t, x, d, p):
        return p[T] - t

    @model.guard("rest", "move", direction=direction, on_entry=entry)
    def zero(t, x, d, p):
        return x[0]

    @model.on("zero")
    def count(t, x, d, p):
        return hy.DECLINE

    return model


def draw(rng: np.random.Generator) -> np.ndarray:
    """Parameters of one departure."""
    r1 = rng.uniform(0.05, 2.0)
    size = rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-4.0, 6.0)
    return np.array([size, rng.integers(1, 5), r1, r1 + rng.uniform(0.05, 2.0), rng.uniform(0.1, 3.0)])


def zeros(p: np.ndarray, direction: int) -> list[float]:
    """The times at which the guard, once positive in its sense, falls to zero."""
    first, second = p[T] + p[R1], p[T] + p[R2]
    if direction == 0:
        return [first, second]
    return [first] if p[A] * direction < 0 else [second]


@pytest.mark.parametrize("direction", (-1, 0, 1))
def test_departures_from_rest_are_followed_to_their_zeros(direction):
    sim = hy.compile(curve(direction), mode="python")
    rng = np.random.default_rng(direction + 1)
    for _ in range(25):
        p = draw(rng)
        run = sim.run(params={f"p_{k}": p[k] for k in range(5)}, final_time=8.0, rtol=1e-9, atol=1e-10 * abs(p[A]))
        found = run.events.t[run.events.name == "zero"]
        np.testing.assert_allclose(found, zeros(p, direction), atol=1e-6, err_msg=str(p))


def sink(entry: str, direction: int = -1) -> hy.Model:
    """Rest until 1 s, then x = -(t - 1)."""
    model = hy.Model("sink", state={"x": 0.0}, charts=["c", "below"])

    @model.field("c", "below")
    def fall(t, x, d, p, dx):
        dx[0] = 0.0 if t < 1.0 else -1.0

    @model.guard("c", to="below", direction=direction, on_entry=entry)
    def zero(t, x, d, p):
        return x[0]

    return model


def test_on_entry_decides_when_rest_is_left_downward():
    def run(entry, direction=-1):
        return hy.compile(sink(entry, direction), mode="python").run(final_time=2.0)

    refused = run("refuse")
    assert refused.status is Status.INVALID_ENTRY
    assert "rested at zero became negative: guard zero, at t = 1.0" in refused.message
    assert abs(refused.t[-1] - 1.0) < 1e-6
    for entry in ("ignore", "refuse"):
        assert run(entry, 1).status is Status.FINAL_TIME  # it fires when it rises, and has risen already
    ignored = run("ignore")
    assert (ignored.status, len(ignored.events)) == (Status.FINAL_TIME, 0)
    fired = run("fire")
    assert fired.status is Status.FINAL_TIME
    np.testing.assert_allclose(fired.events.t, [1.0], atol=1e-6)


def test_a_guard_at_rest_leaves_by_the_reset_of_another():
    model = hy.Model("kicked", state={"x": 0.0, "v": 0.0}, charts=["c"])

    @model.field("c")
    def fly(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = -1.0 if x[1] != 0.0 else 0.0

    @model.guard("c", to="c", on_entry="ignore")
    def kick(t, x, d, p):
        return 0.7 - t

    @model.reset("kick")
    def push(t, x, d, p):
        x[1] = 1.0

    @model.guard("c", to="c")
    def ground(t, x, d, p):
        return x[0]

    @model.reset("ground")
    def land(t, x, d, p):
        x[0] = x[1] = 0.0

    run = hy.compile(model, mode="python").run(final_time=5.0)
    assert run.events.name.tolist() == ["kick", "ground"]
    np.testing.assert_allclose(run.events.t, [0.7, 2.7], rtol=1e-9)
    assert run.x[-1].tolist() == [0.0, 0.0]


@pytest.mark.extra
def test_balls_that_touch_and_fall_together_part_when_one_is_held():
    model = hy.Model("pair", state={"a": 0.0, "b": 0.0, "va": 0.0, "vb": 0.0}, charts=["c"])

    @model.field("c")
    def fall(t, x, d, p, dx):
        dx[0], dx[1] = x[2], x[3]
        dx[2] = -9.81
        dx[3] = -9.81 if t < 0.5 else (-5.0 if t < 1.0 else -14.0)

    @model.guard("c", to="c")
    def gap(t, x, d, p):
        return x[1] - x[0]

    @model.reset("gap")
    def stick(t, x, d, p):
        x[0] = x[1]

    run = hy.compile(model, mode="python").run(final_time=3.0, stop_at="gap")
    a, b = 4.81, 4.19  # [m/s^2], apart from 0.5 s, together from 1 s
    speed, height = 0.5 * a, 0.125 * a
    parted = 1.0 + (speed + math.sqrt(speed**2 + 2 * b * height)) / b
    np.testing.assert_allclose(run.events.t, [parted], rtol=1e-6)  # the field jumps twice without an event


@pytest.mark.extra
@pytest.mark.parametrize("method", ("dop853", "dopri5", "rodas5p"))
def test_departures_compiled_and_interpreted_are_the_same(method):
    compiled = hy.compile(curve(-1), method=method, mode="compiled")
    plain = hy.compile(curve(-1), method=method, mode="python")
    rng = np.random.default_rng(5)
    for k in range(300):
        p = draw(rng)
        arguments = {
            "params": {f"p_{k}": p[k] for k in range(5)},
            "final_time": 8.0,
            "rtol": 1e-8,
            "atol": 1e-9 * abs(p[A]),
        }
        run = compiled.run(**arguments)
        found = run.events.t[run.events.name == "zero"]
        slope = p[R1] ** p[P] * (p[R2] - p[R1])  # at the slower of the zeros, by A, as is the tolerance
        np.testing.assert_allclose(found, zeros(p, -1), atol=1e-7 + 20 * 1e-9 / slope, err_msg=str(p))
        if k < 10:
            np.testing.assert_array_equal(plain.run(**arguments).events.t, run.events.t)
