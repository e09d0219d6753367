"""The contact doctor: every ailment in a model that has it, none in one that has not, and the setting that mends it."""

import json
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import tarsus
from tarsus.mjcf import compile_model, hexapod
from tarsus.mjcf.presets import PRESETS
from tarsus.scripts.laboratory.pages.contact_doctor import AILMENTS
from tarsus.scripts.library.doctor import curing, examining, finding, judging, moving, springs, symptoms, watching

DEFAULTS = dict(h=0.002, cone="elliptic", integrator="implicitfast", ratio=10, solref="0.02 1", solimp="0.9 0.95 0.001")
# A cube that a sideways gravity of 0.4 of its weight presses against its friction.
CUBE = """<mujoco><option timestep="{h}" cone="{cone}" integrator="{integrator}" impratio="{ratio}" gravity="0 4 -9.81"
/><worldbody><geom name="floor" type="plane" size="1 1 1" {floor}/><body pos="0 0 0.1"><freejoint/>
<geom name="cube" type="box" size="0.1 0.1 0.1" {cube} priority="{priority}"/></body></worldbody></mujoco>"""
# A light foot under a trunk on a spring, dragged over the floor: contacts that break while something slides, and single
# steps without force, as reported in google-deepmind/mujoco 1768 and mujocolab/mjlab 931.
DRAGGED = """<mujoco><option timestep="{h}" cone="{cone}" integrator="{integrator}" impratio="{ratio}"/><worldbody>
<geom name="floor" type="plane" size="5 5 1"/><body pos="0 0 0.3"><joint name="rail" type="slide" axis="1 0 0"/>
<joint name="lift" type="slide" axis="0 0 1"/><geom size="0.05" mass="5" contype="0" conaffinity="0"/>
<body pos="0 0 -0.28"><joint type="slide" axis="0 0 1" stiffness="5000" damping="20"/>
<geom name="foot" size="0.02" mass="0.01" solref="{solref}" solimp="{solimp}" priority="1"/></body></body></worldbody>
<actuator><velocity joint="rail" kv="500"/></actuator><keyframe><key ctrl="0.3"/></keyframe></mujoco>"""
FLICKERING = dict(h=0.001, ratio=100, solref="0.002 1", solimp="0.9 0.999 0.0001")
STILL = dict(h=0.001, ratio=100, solref="0.002 1", solimp="0 0.999 0.0003")


def cube(floor="", of_cube="", priority=1, **options):
    return CUBE.format(**DEFAULTS | options, floor=floor, cube=of_cube, priority=priority)


def dragged(**options):
    return DRAGGED.format(**DEFAULTS | options)


def model_of(text):
    return mujoco.MjModel.from_xml_string(text)


def ailments(text, seconds=1.0):
    """Return the findings by ailment, all of which the mends of the report mend together, as its file does."""
    report = examining.examine(text, seconds=seconds)
    assert all(one.ailment in AILMENTS and np.isfinite(one.after) for one in report.findings), report.findings
    if report.findings:
        again = watching.watch(model_of(report.mended), seconds)
        assert not ill(again), (report.mended, ill(again))
    return {one.ailment: one for one in report.findings}


def ill(watched):
    return [one.diagnosis.ailment for one in curing.groups(watched)]


def test_a_model_without_an_ailment_has_none():
    assert ailments(cube(ratio=100)) == {} and ailments(dragged(**STILL)) == {}
    assert "Nothing is wrong" in str(examining.examine(cube(ratio=100), seconds=0.5))


def test_a_pyramid_costs_a_factor_of_two():
    found = ailments(cube(cone="pyramidal", ratio=1))["pyramidal cone"]
    assert found.number == pytest.approx(26.6 / 13.1, abs=0.01) and "570 measured tosses" in found.reason
    assert "pyramidal cone" not in ailments(cube(cone="pyramidal", floor='condim="1"', of_cube='condim="1"'))


def test_a_pyramid_has_29_percent_less_friction_along_its_diagonals():
    """As its reason says: a ball that cannot turn slows down so much less, in the mean over its small hops."""
    slows, free = {}, "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    for cone, angle in (("elliptic", 0.0), ("elliptic", np.pi / 4), ("pyramidal", 0.0), ("pyramidal", np.pi / 4)):
        text = cube(cone=cone, h=1e-3, ratio=1, of_cube='friction="0.5" solimp="0 0.95 0.001"').replace("box", "sphere")
        model = model_of(text.replace("0 4 -9.81", "0 0 -9.81").replace("<freejoint/>", free))
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, 300)
        data.qvel[:2] = 3.0 * np.cos(angle), 3.0 * np.sin(angle)
        mujoco.mj_step(model, data, 400)
        slows[cone, angle > 0] = (3.0 - np.hypot(*data.qvel[:2])) / 0.4
    assert slows["elliptic", True] == pytest.approx(slows["elliptic", False], rel=1e-3)
    for straight in (slows["elliptic", False], slows["pyramidal", False]):
        assert straight == pytest.approx(0.5 * 9.81, rel=0.03)
    assert slows["pyramidal", True] / slows["pyramidal", False] == pytest.approx(np.sqrt(0.5), rel=0.03)


def test_a_time_constant_under_two_steps_is_lengthened():
    found = ailments(cube(of_cube='solref="0.001 1"', ratio=100))["lengthened contact"]
    assert found.number == pytest.approx(4.0) and "16 times as soft" in found.reason
    assert "lengthened contact" not in ailments(cube(of_cube='solref="0.004 1"', ratio=100))


def test_a_contact_too_stiff_for_the_timestep_is_named():
    found = ailments(cube(of_cube='solref="-2000000 -500" solimp="0.9 0.9 0.001"', ratio=100))["long timestep"]
    law = watching.watch(model_of(cube(of_cube='solref="-2000000 -500" solimp="0.9 0.9 0.001"')), 0.1).pairs[0].law
    for factor in (0.98, 1.02):
        assert replace(law, timestep=factor * 0.002 / found.number).is_stable == (factor < 1)
    assert "long timestep" not in ailments(cube(of_cube='solref="-200000 -500" solimp="0.9 0.9 0.001"', ratio=100))


SPRUNG = """<mujoco><option timestep="{h}" integrator="{integrator}" cone="elliptic"/><worldbody><body>
<joint name="knee" type="slide" axis="1 0 0" stiffness="{k}" damping="{d}"/><geom size="0.1" mass="2"/></body>
</worldbody><actuator><position joint="knee" kp="{kp}" kv="{kv}"/></actuator></mujoco>"""


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "RK4"])
@pytest.mark.parametrize(("k", "d", "kp", "kv"), [(2e4, 0.0, 0.0, 0.0), (0.0, 30.0, 2e4, 0.0), (0.0, 0.0, 2e4, 100.0)])
def test_the_longest_timestep_of_a_spring_is_where_mujoco_begins_to_grow(integrator, k, d, kp, kv):
    text = SPRUNG.format(h=0.05, integrator=integrator, k=k, d=d, kp=kp, kv=kv)
    model = model_of(text)
    spring = springs.springs_of(model, mujoco.MjData(model))
    longest = springs.longest_timestep(spring, 0.1, integrator)
    if integrator != "RK4" and not (d or kv):
        assert longest == pytest.approx(2 / np.sqrt(2e4 / 2), rel=1e-3)
    for factor in (0.98, 1.02):
        model.opt.timestep = factor * longest
        data = mujoco.MjData(model)
        data.qpos[0] = 1e-3
        mujoco.mj_step(model, data, 2000)
        assert (abs(data.qpos[0]) > 0.1 or data.warning.number.any()) == (factor > 1)


def test_a_joint_whose_spring_grows_is_named_and_discrete_bears_it():
    found = ailments(SPRUNG.format(h=0.05, integrator="Euler", k=2e4, d=0, kp=0, kv=0), 0.5)["long timestep"]
    assert found.where == "knee" and found.number == pytest.approx(2.5, rel=1e-3)
    assert ailments(SPRUNG.format(h=0.05, integrator="discrete", k=2e4, d=0, kp=0, kv=0), 0.5) == {}


def test_settings_of_two_geoms_that_get_blended_are_named():
    floor, of_cube = 'solref="0.04 1"', 'solref="0.02 1"'
    found = ailments(cube(floor, of_cube, priority=0, ratio=100))["blended contact"]
    assert found.number == pytest.approx(50.0) and "their contact has 0.03 1" in found.reason
    assert "blended contact" not in ailments(cube(floor, of_cube, priority=1, ratio=100))
    onset = 'solimp="0 .99 .0004"'  # zero equals zero
    assert "blended contact" not in ailments(cube(onset, onset, priority=0, ratio=100))


def test_a_geom_that_gets_the_friction_of_the_other_is_named():
    found = ailments(cube('friction="1"', 'friction="0.5"', priority=0, ratio=100))["greater friction"]
    assert found.number == pytest.approx(2.0) and "cube says 0.5 and gets 1 of floor" in found.reason
    assert "greater friction" not in ailments(cube('friction="1"', 'friction="0.5"', priority=1, ratio=100))


def test_contacts_that_are_listed_early_and_margins_that_hold_apart_are_named():
    found = ailments(cube(of_cube='gap="0.005"', ratio=100))["early contact"]
    assert found.number == pytest.approx(5.0)
    found = ailments(cube(of_cube='margin="0.002"', ratio=100))
    model = model_of(cube(of_cube='margin="0.002"', ratio=100))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 500)
    assert (
        found["hovering"].number == pytest.approx(1e3 * (data.qpos[2] - 0.1), rel=0.05) and "early contact" not in found
    )
    deep = cube(of_cube='margin="0.002" solref="0.3 1"', ratio=100)
    found = examining.examine(deep.replace("0 4 -9.81", "0 0 -9.81")).findings
    assert "hovering" not in [one.ailment for one in found]  # what is deep in the ground does not hover


@pytest.mark.parametrize("more", [{}, dict(h=0.002, solref="0.004 1"), dict(cone="pyramidal")])
def test_a_sliding_foot_that_flickers_as_was_reported_is_named(more):
    found = ailments(dragged(**FLICKERING | more))["flicker"]
    assert found.number > 1.0 and found.after < 100 * symptoms.LOST and "touchdowns that are none" in found.reason
    assert any(mend.attribute == "solimp" and mend.value.startswith("0 ") for mend in found.mends)


def test_a_foot_that_touches_and_does_not_press_loses_force():
    model = model_of(dragged(**STILL))
    watched = watching.watch(model, 0.5)
    assert symptoms.loses_force(watched, 0) == 0
    watched.force[200:220, 0] = 0.0
    assert symptoms.loses_force(watched, 0) == pytest.approx(20 / len(watched.time), rel=0.03)
    assert ill(watched) in (["flicker", "loses force"], ["loses force"])


def test_a_cube_that_creeps_below_its_friction_is_named():
    found = ailments(cube(ratio=1))["creep"]
    model = model_of(cube(ratio=1))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 250)
    before = data.qpos[1]
    mujoco.mj_step(model, data, 250)
    assert found.number == pytest.approx(1e3 * (data.qpos[1] - before) / 0.5, rel=0.02)
    assert found.after < 0.2 * found.number and "41 % of its friction" in found.reason
    slides = cube(ratio=1, of_cube='friction="0.3"')
    assert "creep" not in [one.ailment for one in examining.examine(slides).findings]  # and has a reason to


def test_a_cube_that_sinks_is_named_and_its_depth_is_the_laws():
    found = ailments(cube(of_cube='solref="0.1 1"', ratio=100).replace("0 4 -9.81", "0 0 -9.81"), 2.0)["sinks"]
    model = model_of(cube(of_cube='solref="0.1 1"').replace("0 4 -9.81", "0 0 -9.81"))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 1000)
    assert found.number == pytest.approx(1e3 * (0.1 - data.qpos[2]), rel=1e-3)
    law = watching.watch(model, 2.0).pairs[0].law
    assert law.mass == pytest.approx(8.0) and law.estimate == pytest.approx(0.25)  # four contacts
    assert law.depth_at_rest(9.81) == pytest.approx(1e-3 * found.number, rel=1e-3)


def test_the_mass_of_a_contact_is_what_a_force_there_moves():
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.0999"><freejoint/>
    <geom type="sphere" size="0.1" mass="3" pos="0.2 0 0"/><geom type="sphere" size="0.05" mass="1" pos="-0.2 0 0"/>
    </body></worldbody></mujoco>"""
    model = model_of(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mass, estimate = moving.mass_of(model, data, [0])
    before = data.qacc.copy()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data.xfrc_applied[1, 2] = 1.0
    data.xfrc_applied[1, 3:] = np.cross(data.geom_xpos[1] - data.xipos[1], [0, 0, 1.0])
    mujoco.mj_forward(model, data)
    pushed = data.qacc.copy()
    data.xfrc_applied[:] = 0
    mujoco.mj_forward(model, data)
    rises = (pushed - data.qacc)[2] - 0.2 * (pushed - data.qacc)[4]  # of the sphere's centre, along z
    assert mass == pytest.approx(1 / rises) and mass < 4.0 and estimate != pytest.approx(1.0)
    assert np.isfinite(before).all()


BALL = """<mujoco><option timestep="0.0005" cone="elliptic"/><worldbody>
<geom name="floor" type="plane" size="1 1 1"/><body pos="0 0 {z}"><freejoint/>
<geom name="ball" size="0.05" mass="0.7" {more}/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("wanted", [{"restitution": 0.6, "within": 0.02}, {"stiffness": 4e3, "damping": 120.0}])
def test_a_wanted_contact_is_the_one_that_the_model_then_has(wanted):
    report = examining.examine(BALL.format(z=0.05, more=""), contact="ball", want=wanted)
    solref, solimp = (finding.numbers(*values) for values in (report.wanted.solref, report.wanted.solimp))
    assert f'solref="{solref}"' in report.wanted.xml[0]
    model = model_of(BALL.format(z=0.1, more=""))
    model = finding.mended(model, finding.of_contact(model, (0, 1), solref=solref, solimp=solimp))
    data = mujoco.MjData(model)
    data.qvel[2] = -1.0
    while not (data.nefc and data.efc_force[0] > 0):
        before = np.sqrt(data.qvel[2] ** 2 + 2 * 9.81 * (data.qpos[2] - 0.05))
        mujoco.mj_step(model, data)
    if "restitution" in wanted:
        while data.nefc and data.efc_force[0] > 0:
            mujoco.mj_step(model, data)
        after = np.sqrt(data.qvel[2] ** 2 + 2 * 9.81 * (data.qpos[2] - 0.05))
        assert after / before == pytest.approx(0.6, rel=0.025)
    more = f'priority="1" solref="{solref}" solimp="{solimp}"'
    (contact,) = examining.examine(BALL.format(z=0.05, more=more), seconds=0.5).contacts
    for name in set(wanted) & {"stiffness", "damping"}:
        assert getattr(contact, name) == pytest.approx(wanted[name], rel=1e-4)


def test_pairs_that_the_file_declares_are_mended_as_pairs():
    text = dragged(**FLICKERING).replace('name="foot"', 'name="foot" contype="0" conaffinity="0"')
    solref, solimp = FLICKERING["solref"], FLICKERING["solimp"]
    pair = f'<contact><pair geom1="floor" geom2="foot" solref="{solref}" solimp="{solimp}"/></contact><actuator>'
    found = ailments(text.replace("<actuator>", pair))["flicker"]
    assert {mend.element for mend in found.mends} <= {"pair", "option"}
    model = model_of(text.replace("<actuator>", pair))
    assert finding.as_xml(model, found.mends)[0].startswith('<pair geom1="floor" geom2="foot" solimp="0 ')


def test_the_presets_of_this_project_flicker_and_creep_no_more_than_their_page_says():
    for name in PRESETS:
        model = compile_model(hexapod.build(preset=name))
        watched = watching.watch(model, 1.0)
        assert not set(ill(watched)) & set(symptoms.SYMPTOMS), name


def test_a_report_is_words_and_json_without_what_is_not_finite():
    report = tarsus.contact_doctor(cube(cone="pyramidal", ratio=1), seconds=0.5)
    stored = json.loads(report.as_json())
    assert stored["findings"][0]["ailment"] == "pyramidal cone" and stored["findings"][0]["after"] == 1.0
    assert (
        stored["wanted"] is None and examining.examine(cube().replace("0 0 0.1", "0 0 9"), seconds=0.1).contacts == ()
    )
    assert '<option cone="elliptic" impratio="10"/>' in str(report) and "| cube on floor | 8 |" in str(report)


def test_the_distance_to_a_height_field_is_not_told():
    asset = '<asset><hfield name="hills" nrow="2" ncol="2" size="1 1 .1 .1"/></asset>'
    hills = f'{asset}<worldbody><geom type="hfield" hfield="hills"/>'
    model = mujoco.MjModel.from_xml_string(cube().replace("<worldbody>", hills))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    ball = model.geom("cube").id
    assert moving.distance(model, data, (0, ball)) == np.inf > moving.distance(model, data, (1, ball))


def test_a_model_that_touches_nothing_or_diverges_says_so():
    assert "Nothing touched" in str(examining.examine(cube().replace('pos="0 0 0.1"', 'pos="0 0 9"'), seconds=0.1))
    falls = examining.examine(
        SPRUNG.format(h=0.05, integrator="Euler", k=2e5, d=0, kp=1, kv=0).replace(
            "<actuator>", "<keyframe><key qpos='0.1'/></keyframe><actuator>"
        ),
        seconds=5.0,
    )
    assert "diverged" in falls.ended and falls.findings[0].ailment == "long timestep"


def test_a_file_without_ground_and_ranges_like_radians_are_said():
    bare = "<mujoco><worldbody><body><freejoint/><geom size='0.1'/><body><joint name='hip' range='-0.7 0.7'/>"
    bare += "<geom size='0.05'/></body></body></worldbody></mujoco>"
    said = str(examining.examine(bare, seconds=0.1))
    assert "There is no ground in the file" in said and "Nothing touched" not in said
    assert "of hip -0.7 to 0.7 degrees: are they in radians?" in said
    radians = bare.replace("<worldbody>", '<compiler angle="radian"/><worldbody>')
    assert "radians" not in str(examining.examine(radians, seconds=0.1))


def test_what_still_slows_down_is_not_at_rest_and_a_drift_of_nothing_is_no_fault():
    ramp = cube(ratio=100, of_cube='friction="0.05"').replace("0 4 -9.81", "0 0 -9.81")
    sliding = ramp.replace("</worldbody>", "</worldbody><keyframe><key qvel='0.45 0 0 0 0 0'/></keyframe>")
    assert any(
        "not yet at rest" in note and "--seconds 5" in note for note in examining.examine(sliding, seconds=1).notes
    )
    assert not examining.examine(sliding, seconds=5).notes and not examining.examine(cube(ratio=100), seconds=1).notes
    base = watching.watch(model_of(cube(ratio=100)), 1.0)
    for speed, fault in ((3e-4, False), (9e-4, True)):
        place = base.stance.place + speed * base.time[:, None, None] * np.array([1.0, 0.0, 0.0])
        moved = replace(base, stance=replace(base.stance, place=place))
        assert any("drifts" in words for words in judging.worse(base, moved)) == fault


def test_a_commanded_foot_at_the_limit_of_its_friction_slides():
    text = dragged(**STILL)
    report = examining.examine(text, seconds=0.5, controls=np.full((500, 1), 0.3))
    (found,) = [one for one in report.findings if one.ailment == "slides"]
    assert found.number > 90 and "cone of mu 1 is saturated" in found.reason and "slides at 0.2 m/s" in found.reason
    assert "second half of the commanded motion" in str(report) and "the whole model at rest" not in str(report)
    assert not examining.examine(text, seconds=0.5, controls=np.zeros((500, 1))).findings


def test_wanted_settings_are_in_the_mended_file():
    report = examining.examine(cube(ratio=100), contact="cube", want={"restitution": 0.5, "within": 0.1}, seconds=0.5)
    again = model_of(report.mended)
    np.testing.assert_allclose(again.geom("cube").solref, report.wanted.solref, rtol=1e-5)
    assert not report.findings and "mended.xml" in str(report)


def test_a_preset_that_mends_what_no_setting_does_is_advised():
    base = watching.watch(model_of(cube(cone="pyramidal", ratio=1)), 1.0)
    ill_ones = curing.groups(base)
    left = [one.diagnosis.ailment for one in ill_ones]
    (said,) = judging.of_preset(cube(cone="pyramidal", ratio=1), base, ill_ones, left, 1.0)
    assert (
        said.startswith(f"The preset 'reference' mends {', '.join(left)}") and "apply_preset(spec, 'reference')" in said
    )
    assert judging.of_preset(cube(), base, ill_ones, [], 1.0) == []


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"mjcf": "none.xml"}, "there is no file"),
        ({"seconds": 0.001}, "at least ten steps"),
        ({"controls": np.zeros((3, 2))}, "a row for each step and 0 columns"),
        ({"contact": "cube"}, "a wanted contact needs"),
        ({"contact": "wheel", "want": {"restitution": 0.5}}, "no geom 'wheel'; there are floor, cube"),
        ({"contact": "cube", "want": {"bounce": 0.5}}, "value 'bounce' of a wanted contact; there are stiffness"),
        ({"contact": "cube", "want": {"stiffness": 1e12}}, "is too long for this spring"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked, sentence):
    with pytest.raises(ValueError, match=sentence):
        examining.examine(**{"mjcf": cube(), "seconds": 0.2} | asked)
