"""Minimum-jerk transition from 0 to 1: of a joint, of a foot, of the ground's height."""


def minimum_jerk(s):
    """Return the quintic from 0 at s = 0 to 1 at s = 1, at both ends at rest and without acceleration."""
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)
