"""Scores, the pages of cases and scoreboard, and the sketches."""

import importlib.util
import json
import math
import re

import pytest

from tarsus.scripts.laboratory import documents
from tarsus.scripts.laboratory.pages import contact_cases, contact_suite, sketch
from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import score

KNOWN = {name: cases.load(name) for name in cases.ids()}


def result(name, off=0.0, **more):
    """Return the result of a run that is so many tolerances off in its first measurement."""
    rows = [{"name": row["name"], "value": row["answer"], "error": 0.0, "passed": True}
            for row in KNOWN[name]["measurements"]]  # fmt: skip
    first = KNOWN[name]["measurements"][0]
    rows[0] |= {"value": first["answer"] + off * first["tolerance"], "passed": abs(off) <= 1}
    rows[0]["error"] = abs(off) * first["tolerance"] / first["scale"]
    ran = {"status": "ran", "measurements": rows, "passed": abs(off) <= 1, "steps": 10, "cost": 0.1}
    return {"version": KNOWN[name]["version"], **(ran | more)}


CANNOT = {"status": "cannot", "why": "no joints"}


def engine(name="made_up", **settings):
    """Return the results of an engine whose settings are so many tolerances off in all cases."""
    of = {setting: {case: result(case, off) for case in KNOWN} for setting, off in settings.items()}
    return {"suite": 1, "engine": name, "name": name.upper(), "version": "1", "computer": "abacus", "date": "today",
            "results": of}  # fmt: skip


def test_an_error_is_the_largest_and_what_is_missing_counts_as_infinite():
    name = next(iter(KNOWN))
    assert score.error(result(name)) == 0 and score.cell(result(name)) == "0"
    off = result(name, 2.0)
    first = KNOWN[name]["measurements"][0]
    assert score.error(off) == pytest.approx(2 * first["tolerance"] / first["scale"])
    assert score.cell(off).startswith("(") and score.cell(off).endswith(")")
    missing = result(name)
    missing["measurements"][0] |= {"value": None, "error": None, "passed": False}
    assert math.isinf(score.error(missing | {"passed": False})) and score.cell(missing | {"passed": False}) == "(none)"
    assert math.isinf(score.error({"status": "diverged", "why": ""})) and math.isnan(score.error(CANNOT))


def test_a_summary_counts_what_diverged_and_leaves_out_what_cannot_be_represented():
    names = list(KNOWN)[:4]
    found = dict(
        zip(names, [result(names[0]), result(names[1], 3.0), {"status": "diverged", "why": ""}, CANNOT], strict=True)
    )
    whole = score.summary(found, KNOWN)
    assert (whole["passed"], whole["tried"], whole["cost"]) == (1, 3, 0.1)
    assert whole["error"] == score.error(found[names[1]]), "the median of zero, some and infinite"


def test_the_front_holds_what_no_other_beats_in_cost_and_error():
    points = {"a": (1, 10), "b": (2, 5), "c": (3, 7), "d": (4, 1), "e": (0.5, math.inf), "f": (2, 6)}
    assert contact_suite.front(points) == ["a", "b", "d"]


def test_the_scoreboard_names_the_worst_measurement_of_an_explained_failure(tmp_path, monkeypatch):
    made = engine(good=0.0, bad=5.0)
    name = next(iter(KNOWN))
    made["results"]["good"][name] = result(name, 7.0)
    (tmp_path / "made_up.json").write_text(json.dumps(made))
    monkeypatch.setitem(contact_suite.REASONS, (made["engine"], name), "it is made up")
    page = contact_suite.tables(tmp_path)
    text = page.text("markdown", "made")
    first = KNOWN[name]["measurements"][0]
    assert f"**MADE_UP**, good: {len(KNOWN) - 1} of {len(KNOWN)} passed" in text
    assert f"`{name}` ({first['name']} " in text and "it is made up)" in text
    assert "MADE_UP 1: run on abacus, today." in text and list(page.files) == [contact_suite.PICTURE]
    assert page.files[contact_suite.PICTURE]().axes


def test_results_of_other_cases_are_refused(tmp_path):
    with pytest.raises(ValueError, match="there are no results in"):
        contact_suite.read(tmp_path)
    made = engine(good=0.0)
    made["results"]["good"][next(iter(KNOWN))]["version"] += 1
    (tmp_path / "made_up.json").write_text(json.dumps(made))
    with pytest.raises(ValueError, match="the results of made_up, good are of other cases or versions of cases"):
        contact_suite.read(tmp_path)


def test_the_published_scoreboard_is_of_today_s_cases_and_four_engines():
    made = contact_suite.read(contact_suite.RESULTS)
    assert len({one["engine"] for one in made}) >= 4
    text = (documents.DOCS / "contact_suite.md").read_text()
    for one in made:
        for row in contact_suite.rows(one, KNOWN):
            assert f"| {' | '.join(map(str, row))} |" in text


def test_the_published_cases_are_today_s():
    text = (documents.DOCS / "contact_cases.md").read_text()
    for case in KNOWN.values():
        row = f"| `{case['id']}` | {contact_cases.sentence(case)} |"
        assert row in text, f"`tarsus page contact_cases --write` has to be run: {case['id']}"


@pytest.mark.parametrize("name", KNOWN)
def test_the_site_has_every_answer_of_a_case(name):
    case, said = KNOWN[name], contact_cases.section(KNOWN[name])
    assert said.startswith(f"### {name}\n") and case["what"] in said and case["provenance"]["derivation"] in said
    for row in case["measurements"]:
        assert re.search(rf"\| {re.escape(row['name'])} \|.*\| {re.escape(row['unit'])} \|", said)
        assert f" | {row['answer']:.12g} | " in said


def test_the_site_has_a_section_behind_every_name():
    extension = importlib.util.spec_from_file_location("site_sections", documents.DOCS / "site_sections.py")
    module = importlib.util.module_from_spec(extension)
    extension.loader.exec_module(module)
    text = module.with_cases((documents.DOCS / "contact_cases.md").read_text())
    for name in KNOWN:
        assert f"| [`{name}`](#{name}) | " in text and text.count(f"\n### {name}\n") == 1
    assert "[`block_stops`](contact_cases.md#block_stops)" in module.linked("a `block_stops` b", "contact_suite")


def test_every_complaint_has_a_case_that_exists():
    assert {name for _, _, name in contact_suite.COMPLAINTS} <= KNOWN.keys()


@pytest.mark.parametrize("name", KNOWN)
def test_a_sketch_shows_every_group_of_bodies(name):
    case = KNOWN[name]
    groups = sketch.groups(case)
    free = {body["name"] for body in case["bodies"] if "mass" in body}
    shown = [body["name"] for group in groups for body in group["bodies"] if "mass" in body]
    assert sorted(shown) == sorted(free), "each body once"
    figure = sketch.draw(case)
    assert len(figure.axes) == min(len(groups), sketch.PANELS)
    assert all(axis.patches or axis.lines for axis in figure.axes)
