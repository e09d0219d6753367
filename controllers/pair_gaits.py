"""Gaits of multipods: yaw and roll of every pair of legs as Fourier series of time.

Angles have the shape (..., n_pairs, 2), yaw before roll, as in `analytic.models.multipod`: a positive roll lifts the
left foot and lowers the right one, a positive yaw moves the left foot backward. So a pair walks forward if its yaw
grows while its roll is negative.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, 3.2.1 (undulation at 0.3 Hz with a phase offset of 1.35 pi). The paper
prints neither amplitudes nor waveform; sinusoids and the amplitudes here are choices.
"""

from dataclasses import dataclass

import numpy as np

FREQUENCY = 0.3  # [Hz] (paper, 3.2.1)
PHASE_OFFSET = 1.35 * np.pi  # by which a pair is behind the one in front of it [rad] (paper, 3.2.1)
YAW, ROLL = 0.3, 0.15  # amplitudes [rad]; feet move 6 cm back and 3 cm up at a reach of 0.2 m


@dataclass(frozen=True)
class FourierGait:
    """Yaw and roll of each pair as the real part of sum_h coefficients[..., h] exp(2 pi i h frequency t).

    Raises:
        ValueError: If the coefficients have another shape or are not finite, or the frequency is not positive.
    """

    coefficients: np.ndarray  # complex, shape (n_pairs, 2, 1 + harmonics) [rad]
    frequency: float = FREQUENCY  # [Hz]

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficients", np.array(self.coefficients, complex))
        shape = self.coefficients.shape
        if len(shape) != 3 or shape[0] < 1 or shape[1] != 2 or shape[2] < 2:
            raise ValueError(f"coefficients must have shape (n_pairs, 2, 1 + harmonics), got {shape}")
        if not np.isfinite(self.coefficients).all():
            raise ValueError("coefficients must be finite; they hold NaN or infinity")
        if not 0 < self.frequency < np.inf:
            raise ValueError(f"frequency must be positive, got {self.frequency} Hz")

    @property
    def n_legs(self) -> int:
        """Number of legs."""
        return 2 * len(self.coefficients)

    @property
    def period(self) -> float:
        """Time after which all angles repeat [s]."""
        return 1 / self.frequency

    def __call__(self, t) -> tuple[np.ndarray, np.ndarray]:
        """Return yaw and roll [rad] and their rates [rad/s] at time t [s], shape (..., n_pairs, 2) both."""
        speed = 2j * np.pi * self.frequency * np.arange(self.coefficients.shape[2])
        turning = self.coefficients * np.exp(speed * np.asarray(t, float)[..., None, None, None])
        return turning.sum(-1).real, (turning * speed).sum(-1).real

    def stance(self, t) -> np.ndarray:
        """Return whether each leg is meant to be on the ground: the lower one of each pair, shape (..., n_legs)."""
        roll = self(t)[0][..., 1]
        return np.stack([roll <= 0, roll >= 0], axis=-1).reshape((*roll.shape[:-1], self.n_legs))


def undulation(
    n_legs: int = 6,
    frequency: float = FREQUENCY,
    phase_offset: float = PHASE_OFFSET,
    yaw: float = YAW,
    roll: float = ROLL,
    steering: float = 0.0,
    crab: float = 0.0,
) -> FourierGait:
    """Return an undulation: the same yaw and roll for all pairs, each pair lagging the one in front of it.

    Args:
        n_legs: Even number of legs, 6 or more.
        frequency: [Hz].
        phase_offset: By which a pair lags the one in front of it [rad].
        yaw: Amplitude [rad].
        roll: Amplitude [rad]; positive walks forward, negative backward.
        steering: Yaw held by the pairs, from +steering at the front to -steering at the rear [rad]: the body follows
            a curve, to the left if positive.
        crab: Yaw held by all pairs [rad]: the body walks to the left of where it faces, if positive.

    Raises:
        ValueError: If there are too few legs, or an odd number.
    """
    if n_legs % 2 or n_legs < 6:
        raise ValueError(
            "an undulation needs an even number of 6 legs or more, since only one foot of each pair stands at a time; "
            f"got {n_legs}. Four legs can trot"
        )
    return _travelling(n_legs // 2, frequency, phase_offset, yaw, roll, steering, crab)


def pair_trot(n_legs: int = 4, frequency: float = FREQUENCY, yaw: float = YAW, roll: float = ROLL) -> FourierGait:
    """Return the trot of a multipod of four legs: its two pairs in opposite phase, two feet on the ground at a time.

    Raises:
        ValueError: If there are not four legs.
    """
    if n_legs != 4:
        raise ValueError(f"a trot is a gait of four legs, got {n_legs}; pair_tripod alternates for six and more")
    return _travelling(2, frequency, np.pi, yaw, roll)


def pair_tripod(n_legs: int = 6, **options) -> FourierGait:
    """Return the undulation with neighbouring pairs in opposite phase; options as there."""
    return undulation(n_legs, phase_offset=np.pi, **options)


def pair_wave(n_legs: int = 6, **options) -> FourierGait:
    """Return the undulation whose touchdowns run in one wave along the body, from the rear to the front."""
    return undulation(n_legs, phase_offset=-4 * np.pi / n_legs, **options)


def pair_ripple(n_legs: int = 6, **options) -> FourierGait:
    """Return the undulation in three groups, from the rear to the front; 1.35 pi of offset is nearly this."""
    return undulation(n_legs, phase_offset=-2 * np.pi / 3, **options)


def _travelling(n_pairs, frequency, phase_offset, yaw, roll, steering=0.0, crab=0.0) -> FourierGait:
    behind = np.exp(-1j * phase_offset * np.arange(n_pairs))
    coefficients = np.zeros((n_pairs, 2, 2), complex)
    coefficients[:, 0, 0] = crab + steering * np.linspace(1.0, -1.0, n_pairs)
    coefficients[:, 0, 1] = -1j * yaw * behind  # a sine, so that the yaw grows fastest ...
    coefficients[:, 1, 1] = -roll * behind  # ... when the left foot is lowest
    return FourierGait(coefficients, frequency)
