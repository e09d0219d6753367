"""Cures that mend only together: found, no more than are needed, and said."""

from types import SimpleNamespace

import mujoco
import pytest

from tarsus.scripts.library.doctor import combining, curing, examining, judging, watching
from tarsus.scripts.library.doctor.finding import Diagnosis, merged, option

SOFT, SHORT, OTHER, WRONG = (
    option(**{name: "1"}) for name in ("sdf_iterations", "ccd_iterations", "ls_iterations", "wind")
)


class Table:
    """Stands for simulations: what is left of two ailments, and what is worse, by the settings."""

    def __init__(self, left):
        self.left, self.asked = left, []
        self.base = self.watch(())

    def watch(self, mends):
        self.asked.append(frozenset(mends))
        first, second, faults = self.left(set(mends))
        stance = SimpleNamespace(falls=lambda: [])
        model = SimpleNamespace(opt=SimpleNamespace(timestep=1.0, impratio=1.0))
        return SimpleNamespace(ended="", stance=stance, numbers=(first, second), faults=faults, model=model)


def searched(left, monkeypatch, earlier=()):
    monkeypatch.setattr(judging, "worse", lambda base, trial: ["worse"] * trial.faults)
    monkeypatch.setattr(combining, "_of_the_whole", lambda model: iter([OTHER]))
    found = [
        curing.Group(Diagnosis(name, (), 10.0, "", ""), 1.0, lambda one, k=k: one.numbers[k], cures)
        for k, (name, cures) in enumerate((("sinks", (SOFT, WRONG)), ("creep", (SHORT,))))
    ]
    trials = Table(left)
    return combining.search(trials, found, earlier), trials


def test_what_each_alone_breaks_both_mend(monkeypatch):
    def left(mends):
        firm, short = set(SOFT) <= mends, set(SHORT) <= mends
        return 0.0 if firm else 10.0, 0.0 if short else 10.0, int(firm != short)

    cures, _ = searched(left, monkeypatch)
    assert sorted(cures) == sorted((SOFT, SHORT))


def test_three_are_found_and_needless_ones_left_out(monkeypatch):
    """WRONG is the best of the first round, and needless once the three are there."""

    def left(mends):
        all_three = set(merged(merged(SOFT, SHORT), OTHER)) <= mends
        steps = sum(set(cure) <= mends for cure in (SOFT, SHORT, OTHER))
        number = 0.0 if all_three else 10.0 - steps - 5.0 * (set(WRONG) <= mends)
        return number, number, 0 if all_three else 1

    cures, _ = searched(left, monkeypatch)
    assert sorted(cures) == sorted((SOFT, SHORT, OTHER))


def test_what_does_the_least_harm_is_kept_first(monkeypatch):
    """WRONG leaves less of the ailment than SOFT, breaks more, and whatever is put on top of it heals nothing."""

    def left(mends):
        if set(WRONG) <= mends:
            return 5.0, 5.0, 8
        number = 0.0 if {*SOFT, *SHORT} <= mends else 6.0 if set(SOFT) <= mends else 10.0
        return number, number, int(0.0 < number < 10.0)

    assert sorted(searched(left, monkeypatch)[0]) == sorted((SOFT, SHORT))


def test_what_is_worse_or_gains_next_to_nothing_is_not_advised(monkeypatch):
    assert searched(lambda mends: (0.0, 0.0, 1) if mends else (10.0, 10.0, 0), monkeypatch)[0] == ()
    assert searched(lambda mends: (9.0, 10.0, 0) if mends else (10.0, 10.0, 0), monkeypatch)[0] == ()
    assert searched(lambda mends: (7.0, 10.0, 0) if mends else (10.0, 10.0, 0), monkeypatch)[0] != ()


def test_nothing_is_tried_where_nothing_is_left(monkeypatch):
    cures, trials = searched(lambda mends: (0.5, 0.5, 0), monkeypatch)
    assert cures == () and set(trials.asked) == {frozenset()}


DRAGGED = """<mujoco><option timestep="{h}" cone="{cone}" impratio="{ratio}"/><worldbody>
<geom name="floor" type="plane" size="5 5 1"/><body pos="0 0 0.3"><joint name="rail" type="slide" axis="1 0 0"/>
<joint name="lift" type="slide" axis="0 0 1"/><geom size="0.05" mass="5" contype="0" conaffinity="0"/>
<body pos="0 0 -0.28"><joint type="slide" axis="0 0 1" stiffness="5000" damping="20"/>
<geom name="foot" size="0.02" mass="0.01" solref="{solref}" solimp="{solimp}" priority="1"/></body></body></worldbody>
<actuator><velocity joint="rail" kv="500"/></actuator><keyframe><key ctrl="0.3"/></keyframe></mujoco>"""
LEG = """<body pos="{} {} -0.2"><joint type="slide" axis="0 0 1" stiffness="20000" damping="5"/><geom name="{}"
size="0.02" pos="0 0 -0.08" mass="0.05" solref="0.1 1" solimp="0 0.9 0.01" priority="1"/></body>"""
LEGS = "".join(LEG.format(*leg) for leg in ((0.2, 0.1, "A"), (0.2, -0.1, "B"), (-0.2, 0, "C")))
STOOL = f"""<mujoco><option timestep="0.01" gravity="0 1 -9.81"/><worldbody>
<geom name="floor" type="plane" size="5 5 1"/><body name="trunk" pos="0 0 0.3"><freejoint/>
<geom type="box" size="0.2 0.1 0.05" mass="8"/>{LEGS}</body></worldbody></mujoco>"""
FILES = {  # with the ailments that a single setting does not mend without breaking something else
    "pyramid in long steps": (
        DRAGGED.format(h=0.005, cone="pyramidal", ratio=1, solref="-5000 -50", solimp="0.9 0.95 0.001"),
        {"pyramidal cone", "loses force"},
    ),
    "soft contact in longer steps": (
        DRAGGED.format(h=0.02, cone="elliptic", ratio=10, solref="0.005 1", solimp="0 0.95 0.005"),
        {"long timestep", "lengthened contact", "loses force"},
    ),
    "soft contact, springs, pyramid and little impratio": (
        STOOL,
        {"pyramidal cone", "long timestep", "flicker", "loses force", "sinks"},
    ),
}


@pytest.mark.extra
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_no_setting_alone_mends_is_mended(name):
    text, ill = FILES[name]
    report = examining.examine(text, seconds=1.0)
    assert {one.ailment for one in report.findings} == ill
    assert all(one.after < one.number and one.refused for one in report.findings if one.ailment != "sinks")
    joint = [one for one in report.findings if len(one.joint) > 1]
    assert joint or name.startswith("soft contact, springs")
    assert str(report).count("Only together do they mend it: `<") == len(joint)
    again = watching.watch(mujoco.MjModel.from_xml_string(report.mended), 1.0)
    assert not again.stance.falls() and not again.ended
    assert all(one.diagnosis.ailment == "loses force" and one.diagnosis.number < 1.0 for one in curing.groups(again))
