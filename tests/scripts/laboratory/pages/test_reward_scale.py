"""What a page says of a reward's scale, from weights that are easy to reckon with."""

from types import SimpleNamespace

from tarsus.scripts.laboratory.pages import reward_scale

FORWARD = {"forward": (1.5, "m/s"), "drift": (-0.3, "m/s"), "power": (-0.004, "W"), "healthy": (0.25, "1")}
COMMANDED = {"speed": (1.0, "1"), "yaw_rate": (0.5, "1"), "power": (-0.001, "W"), "healthy": (0.1, "1")}
CONFIG, RANGES = SimpleNamespace(command_period=4.0, command_standing=0.1), ((0.0, 0.5), (-0.3, 0.3))


def said(rewards, **more):
    return reward_scale.words(rewards, 1000, SimpleNamespace(**vars(CONFIG) | more), RANGES).replace("\n", " ")


def test_a_return_of_1000_is_a_speed_and_what_the_rest_costs():
    text = said({"forward": FORWARD})
    assert "standing earns 250 in 1000 steps" in text
    assert "1 m/s forward pays 1.5 a step, so a return of 1000 in 1000 steps needs 0.5 m/s, plus" in text  # 0.75 / 1.5
    assert "(1 m/s of drift 0.3, 1 W 0.004 a step)" in text and "commanded" not in text


def test_of_a_reward_in_typical_speeds_and_powers_it_is_what_a_metre_and_a_watt_are_worth():
    text = said({"forward": FORWARD}, typical_speed=0.3, typical_power=50.0)
    assert "1 m/s forward pays 5 a step" in text and "needs 0.15 m/s, plus" in text
    assert "(1 m/s of drift 1, 1 W 8e-05 a step)" in text


def test_a_command_that_is_met_earns_the_positive_weights():
    first, second = reward_scale.words({"forward": FORWARD, "commanded": COMMANDED}, 500, CONFIG, RANGES).split("\n\n")
    text = second.replace("\n", " ")
    assert "every 4 s, the forward speed from 0 to 0.5 m/s (`command_speed`)" in text
    assert "the yaw rate from -0.3 to 0.3 rad/s (`command_yaw_rate`), a share of 0.1 is to stand." in text
    assert "pays 1.6 a step at most, 800 in 500 steps" in text
    assert max(map(len, (*first.splitlines(), *second.splitlines()))) <= 120


def test_what_cannot_stand_is_not_told_to():
    assert "to stand" not in said({"commanded": COMMANDED}, command_standing=0.0)


def test_a_reward_without_the_terms_is_left_alone():
    assert said({"forward": {"upright": (1.0, "1")}}) == ""
