"""The page *try it*: its stored numbers are the engines', its arithmetic is ours, and a browser shows them."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from tarsus import hybrid as hy
from tarsus.analytic.models import slip
from tarsus.mjcf.contact_converter import law_of
from tarsus.scripts.laboratory import documents
from tarsus.scripts.laboratory.try_it import feet, runner

STATIC = documents.DOCS / "static" / "try_it"
PAGE = (documents.DOCS / "try_it.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def simulator():
    return hy.compile(slip.build("fixed", runner.RUNNER))


def by_node(program, given):
    """Return what a program of JavaScript makes of the page's scripts and of `given`."""
    if shutil.which("node") is None:
        pytest.skip("there is no node, which runs the page's scripts")
    scripts = "".join(f"require({json.dumps(str(STATIC / name))});" for name in ("data.js", "grids.js", "converter.js"))
    code = f"{scripts} const given = JSON.parse(require('fs').readFileSync(0)); console.log(JSON.stringify({program}))"
    run = subprocess.run(["node", "-e", code], input=json.dumps(given), capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def some_points(n):
    rng = np.random.default_rng(4)
    return np.stack([rng.choice(values, n) for values in runner.AXES.values()], axis=1)


def indices(points):
    return [
        {
            name: int(np.searchsorted(values, value))
            for (name, values), value in zip(runner.AXES.items(), point, strict=True)
        }
        for point in points
    ]


def test_stored_maps_orbits_and_runs_are_the_engine_s(simulator):
    points = np.vstack([some_points(30), [20.0, 23.0, 5.0]])
    images, lasted = runner.maps(simulator, points)
    told = by_node(
        "given.map((at) => { const map = tryIt.runner(tryIt.data.runner), row = tryIt.row(map.axes, at);"
        " const all = Array.from({ length: map.n }, (_, i) => i);"
        " const of = (f) => all.map((i) => f(row, i));"
        " return [of(map.height), of(map.image), of(map.lasted), map.orbitsOf(row)]; })",
        indices(points),
    )
    for point, image, strides, (at, stored, counted, orbits) in zip(points, images, lasted, told, strict=True):
        np.testing.assert_allclose(at, runner.heights(*point[1:]), atol=1e-6)
        np.testing.assert_allclose(np.array(stored, float), image, atol=1e-4, err_msg=str(point))
        assert np.mean(np.array(counted) != strides) <= 0.1, point  # rounding decides when an unstable run falls
        found = list(runner.orbits(simulator, point, image))
        assert len(found) == len(orbits)
        for mine, its in zip(found, orbits, strict=True):
            assert its["y"] == pytest.approx(mine["height"], abs=1e-6)
            assert its["multiplier"] == pytest.approx(mine["multiplier"], rel=1e-3, abs=1e-4)
            assert its["step"] == pytest.approx(mine["path"][-1, 0], rel=1e-5)


def test_the_runner_of_the_page_s_first_view_is_the_readme_s():
    """The orbit of 20 kN/m at 23 degrees and 5 m/s, as the README finds it."""
    (told,) = by_node("given.map((at) => { const map = tryIt.runner(tryIt.data.runner);"
                      " return map.stable(tryIt.row(map.axes, at)); })", indices([[20.0, 23.0, 5.0]]))  # fmt: skip
    assert told["y"] == pytest.approx(0.95957, abs=1e-5) and told["multiplier"] == pytest.approx(0.4414, abs=1e-4)


def test_the_map_between_stored_heights_is_as_near_as_the_page_says(simulator):
    points, rng = some_points(300), np.random.default_rng(5)
    ends = np.array([runner.ends(angle, speed) for _, angle, speed in points])
    y = ends[:, 0] + (ends[:, 1] - ends[:, 0]) * rng.uniform(0.0, 1.0, len(points)) ** 2
    exact = runner.strides(simulator, y, *points.T)
    near = by_node(
        "given.map(([at, y]) => { const map = tryIt.runner(tryIt.data.runner);"
        " return map.next(tryIt.row(map.axes, at), y); })",
        list(zip(indices(points), y.tolist(), strict=True)),
    )
    off = np.abs(np.array(near, float) - exact)
    off = off[np.isfinite(off)]
    median, most = re.search(r"by ([\d.]+) mm in the median and ([\d.]+) mm at most", PAGE).groups()
    assert off.size > 100
    print(f"between stored heights: {1e3 * np.median(off):.4f} mm in the median, {1e3 * off.max():.2f} at most")
    assert 1e3 * np.median(off) <= float(median) and 1e3 * off.max() <= float(most)


def test_stored_motions_of_sliding_feet_are_the_solver_s():
    points = feet.grid(feet.AXES)
    chosen = np.random.default_rng(6).choice(len(points), 20, replace=False)
    stored = by_node(
        "(() => { const table = tryIt.array(tryIt.data.feet.table, Float32Array);"
        " return given.map((row) => Array.from(table.subarray(30 * row, 30 * row + 30))); })()",
        chosen.tolist(),
    )
    mine = [[feet.motion(points[row], law) for law in feet.LAWS] for row in chosen]
    np.testing.assert_allclose(np.reshape(stored, (20, 2, 15)), mine, atol=1e-5)


def contacts(n):
    """Yield what a user may know of a contact."""
    rng = np.random.default_rng(7)
    for k in range(n):
        given = {"mass": 10 ** rng.uniform(-2, 2), "timestep": 10 ** rng.uniform(-4, -2.3)}
        natural = rng.uniform(0.02, 1.5) / given["timestep"]  # of the spring [rad/s]: some are too stiff
        given["stiffness"] = given["mass"] * natural**2
        if k % 4 == 0:
            given["restitution"], given["speed"] = rng.uniform(0.1, 0.95), rng.uniform(0.2, 3.0)
        elif k % 4 < 3:
            given["damping"] = 2 * rng.uniform(0, 1.5) * given["mass"] * natural
        if k % 3 == 0:
            given["depth"] = rng.uniform(-0.1, 1.0) * given["mass"] * 9.81 / given["stiffness"]
        if k % 40 == 4:
            del given["stiffness"]
        yield given | {"discrete": bool(k % 5 == 0)}


def test_the_page_s_converter_is_ours_on_a_thousand_contacts():
    given, made = list(contacts(1000)), 0
    for asked, told in zip(given, by_node("given.map(tryIt.convert)", given), strict=True):
        integrator = "discrete" if asked["discrete"] else "Euler"
        values = {name: value for name, value in asked.items() if name not in ("discrete", "mass", "timestep")}
        try:
            law = law_of(asked["mass"], asked["timestep"], integrator, **values)
        except ValueError as error:
            assert "why" in told, f"{asked}: {error}"
            assert told["why"].split()[0] == str(error).split()[0]
            continue
        made += 1
        assert "why" not in told, f"{asked}: {told}"
        np.testing.assert_allclose(told["solref"], law.solref, rtol=1e-3, err_msg=str(asked))
        np.testing.assert_allclose(told["solimp"], law.solimp, rtol=1e-9)
    assert 300 < made < 950


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_browser_shows_the_first_numbers(theme, tmp_path):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    body = re.sub(r"(?m)^(#+ .*|!\[.*)$", "", PAGE).replace("_static/", f"{STATIC.parent.as_uri()}/")
    (tmp_path / "page.html").write_text(f'<!doctype html><meta charset="utf-8"><body data-theme="{theme}">{body}')
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    options += ["--allow-file-access-from-files", f"--user-data-dir={tmp_path}", "--virtual-time-budget=3000"]
    run = subprocess.run([chromium, *options, "--dump-dom", (tmp_path / "page.html").as_uri()], capture_output=True)
    shown = run.stdout.decode()
    assert "apex 0.960 m, stable" in shown and "0.441" in shown
    assert "turns at -0.728 rad/s" in shown and 'solref="-' in shown and "mm apart" in shown
