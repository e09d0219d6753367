"""SLIP strides by Taylor series in 40-digit arithmetic: slow, independent of any integrator of the project.

Prints the event times of the manual's default start; `hybrid_slip.txt` keeps those of 16 strides.
Usage: python tests/oracles/hybrid_slip.py [STRIDES]      (about 20 s per stride; needs mpmath)
"""

import sys

import mpmath as mp

mp.mp.dps = 40
M, K, G = mp.mpf("50.48"), mp.mpf(1000), mp.mpf(10)
ORDER = 40


def series(state, foot):
    """Return the Taylor coefficients of (x, y, u, v) in stance about the foot: a = (k / m) r / |r|^4 - g."""
    x, y, u, v = ([value] for value in state)
    for n in range(ORDER):
        r2 = [
            sum(
                ((x[i] - (foot if i == 0 else 0)) * (x[m - i] - (foot if m == i else 0)) + y[i] * y[m - i])
                for i in range(m + 1)
            )
            for m in range(n + 1)
        ]
        w = [1 / r2[0] ** 2]  # w = r2^-2 by the power rule
        for m in range(1, n + 1):
            w.append(sum((-2 * i - (m - i)) * r2[i] * w[m - i] for i in range(1, m + 1)) / (m * r2[0]))
        ax = sum(w[i] * (x[n - i] - (foot if n == i else 0)) for i in range(n + 1)) * K / M
        ay = sum(w[i] * y[n - i] for i in range(n + 1)) * K / M - (G if n == 0 else 0)
        x.append(u[n] / (n + 1))
        y.append(v[n] / (n + 1))
        u.append(ax / (n + 1))
        v.append(ay / (n + 1))
    return x, y, u, v


def at(coefficients, h):
    return [mp.polyval(c[::-1], h) for c in coefficients]


def stance(state, foot, value):
    """Integrate until value(state) falls to zero; return duration and state."""
    t, h = mp.mpf(0), mp.mpf("0.005")
    while True:
        c = series(state, foot)
        if value(at(c, h)) <= 0:
            root = mp.findroot(lambda s, c=c: value(at(c, s)), (mp.mpf(0), h), solver="anderson", tol=mp.mpf(10) ** -60)
            return t + root, at(c, root)
        state, t = at(c, h), t + h


def main(strides: int) -> None:
    state, foot, t, times = [mp.mpf(0), mp.mpf("0.9"), mp.mpf(1), mp.mpf(0)], mp.mpf(0), mp.mpf(0), []
    for _ in range(strides):
        dt, state = stance(state, foot, lambda s, f=foot: 1 - mp.sqrt((s[0] - f) ** 2 + s[1] ** 2))
        t += dt
        times.append(t)
        angle = mp.atan2(state[0] - foot, state[1])
        up = state[3] / G
        t += up
        times.append(t)
        x, y, u = state[0] + state[2] * up, state[1] + state[3] * up / 2, state[2]
        down = mp.sqrt(2 * (y - mp.cos(angle)) / G)
        t += down
        times.append(t)
        state = [x + u * down, mp.cos(angle), u, -G * down]
        foot = state[0] + mp.sin(angle)
        dt, state = stance(state, foot, lambda s, f=foot: -((s[0] - f) * s[2] + s[1] * s[3]))
        t += dt
        times.append(t)
    for value in times:
        print(mp.nstr(value, 20))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
