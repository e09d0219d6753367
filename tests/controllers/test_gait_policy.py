"""A gait as a policy: the speeds that take set-points to where the gait will be."""

import numpy as np

from tarsus.controllers import gaits
from tarsus.controllers.gait_policy import GaitPolicy


def test_speeds_take_the_set_points_the_short_way_to_where_the_gait_will_be():
    gait, dt, scale = gaits.make("undulation", 6), 0.02, 50.0
    aim = gait(0.4 + dt)[0].ravel()
    off = np.array([0.1, -0.2, 2 * np.pi, 0.3 - 2 * np.pi, 0.0, -0.4])
    action = GaitPolicy(gait, dt, scale)(None, {"time": 0.4, "joint_reference": aim + off})
    np.testing.assert_allclose(action * scale * dt, [-0.1, 0.2, 0.0, -0.3, 0.0, 0.4], atol=1e-6)


def test_no_more_is_asked_for_than_an_action_may():
    gait = gaits.make("undulation", 6)
    action = GaitPolicy(gait, 0.02, 1.0)(None, {"time": 0.0, "joint_reference": gait(0.02)[0].ravel() + 1.0})
    np.testing.assert_array_equal(action, -1.0)
