"""The hexapod's body: Euler's equation and the quaternion's rate. Scalar functions for the compiled field.

Source: SimSect manual 5.1.4, written in the body frame, where the inertia is constant.
"""

from .layout import P


def spin(p, w, moment):
    """Return the body's angular acceleration (3), body frame: J w' = moment - w x J w (Euler)."""
    a, b, c = p[P.J_11], p[P.J_12], p[P.J_13]
    e, f, i = p[P.J_22], p[P.J_23], p[P.J_33]
    hx, hy, hz = a * w[0] + b * w[1] + c * w[2], b * w[0] + e * w[1] + f * w[2], c * w[0] + f * w[1] + i * w[2]
    mx = moment[0] - w[1] * hz + w[2] * hy
    my = moment[1] - w[2] * hx + w[0] * hz
    mz = moment[2] - w[0] * hy + w[1] * hx
    c00, c01, c02 = e * i - f * f, c * f - b * i, b * f - c * e
    c11, c12, c22 = a * i - c * c, b * c - a * f, a * e - b * b
    det = a * c00 + b * c01 + c * c02
    return (
        (c00 * mx + c01 * my + c02 * mz) / det,
        (c01 * mx + c11 * my + c12 * mz) / det,
        (c02 * mx + c12 * my + c22 * mz) / det,
    )


def turn_quaternion(x, dx):
    """Write the quaternion's rate: half its product with the angular velocity in the body frame."""
    w, a, b, c, wx, wy, wz = x[3], x[4], x[5], x[6], x[10], x[11], x[12]
    dx[3] = 0.5 * (-a * wx - b * wy - c * wz)
    dx[4] = 0.5 * (w * wx + b * wz - c * wy)
    dx[5] = 0.5 * (w * wy + c * wx - a * wz)
    dx[6] = 0.5 * (w * wz + a * wy - b * wx)
