"""The undulation of `pair_gaits` for many robots at once, each with its own parameters.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, 3.2.1, for frequency and phase offset; the waveform is a choice.
"""

import numpy as np

from .clock import TURN


def undulation_angles(cycles, frequency, phase_offset, yaw, roll, steering, n_pairs: int, crab=0.0):
    """Return yaw and roll [rad] and their rates [rad/s] of pairs of legs that undulate, shape (..., n_pairs, 2) both.

    Pair k has yaw = crab + steering s_k + yaw sin(u_k) and roll = -roll cos(u_k), u_k = 2 pi cycles - k phase_offset,
    with s_k from 1 at the front to -1 at the rear: its yaw grows, which takes a left foot backward, while its left foot
    is low. Arguments but the number of pairs have the shape (...); frequency [Hz], angles [rad]. Positive, steering and
    crab turn and carry the body to the left.
    """
    given = (frequency, yaw, roll, steering, crab)
    frequency, yaw, roll, steering, crab = (np.asarray(value)[..., None] for value in given)
    behind = np.asarray(phase_offset)[..., None] * np.arange(n_pairs)  # (..., n_pairs)
    u = TURN * np.asarray(cycles)[..., None] - behind
    speed, sine, cosine = TURN * frequency, np.sin(u), np.cos(u)
    angle = np.stack([crab + steering * np.linspace(1.0, -1.0, n_pairs) + yaw * sine, -roll * cosine], axis=-1)
    return angle, np.stack([speed * yaw * cosine, speed * roll * sine], axis=-1)
