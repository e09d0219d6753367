"""Derivatives of elementary functions, for `number_types`: each rule returns the value and the partial derivatives."""

import math
import operator


def _pos(a):
    return a, 1.0


def _abs(a):
    return abs(a), -1.0 if a < 0.0 else 1.0


def _tan(a):
    value = math.tan(a)
    return value, 1.0 + value * value


def _sqrt(a):
    root = math.sqrt(a)
    return root, 0.5 / root


def _exp(a):
    value = math.exp(a)
    return value, value


def _tanh(a):
    value = math.tanh(a)
    return value, 1.0 - value * value


def _div(a, b):
    value = a / b
    return value, 1.0 / b, -value / b


def _pow(a, b):
    value = a**b
    # At the base 0 a power of positive exponent does not move with the exponent; the logarithm would be infinite.
    return value, b * a ** (b - 1.0) if b != 0.0 else 0.0, value * math.log(a) if a > 0.0 else 0.0


def _atan2(a, b):
    square = a * a + b * b
    return math.atan2(a, b), b / square, -a / square


def _hypot(a, b):
    value = math.hypot(a, b)
    if value == 0.0:
        return value, math.inf, math.inf
    return value, a / value, b / value


def _copysign(a, b):
    value = math.copysign(a, b)
    return value, 1.0 if (value < 0.0) == (a < 0.0) else -1.0, 0.0


ONE = {
    operator.neg: lambda a: (-a, -1.0),
    operator.pos: _pos,
    abs: _abs,
    math.fabs: _abs,
    math.sin: lambda a: (math.sin(a), math.cos(a)),
    math.cos: lambda a: (math.cos(a), -math.sin(a)),
    math.tan: _tan,
    math.sqrt: _sqrt,
    math.exp: _exp,
    math.log: lambda a: (math.log(a), 1.0 / a),
    math.tanh: _tanh,
    math.acos: lambda a: (math.acos(a), -1.0 / math.sqrt(1.0 - a * a)),
    math.asin: lambda a: (math.asin(a), 1.0 / math.sqrt(1.0 - a * a)),
    math.atan: lambda a: (math.atan(a), 1.0 / (1.0 + a * a)),
    float: _pos,
}
_OPERATORS = {  # `a += b` is `a + b`
    "add": lambda a, b: (a + b, 1.0, 1.0),
    "sub": lambda a, b: (a - b, 1.0, -1.0),
    "mul": lambda a, b: (a * b, b, a),
    "truediv": _div,
    "mod": lambda a, b: (a % b, 1.0, -math.floor(a / b)),
    "pow": _pow,
}
TWO = {getattr(operator, i + name): rule for i in ("", "i") for name, rule in _OPERATORS.items()} | {
    math.pow: _pow,
    math.atan2: _atan2,
    math.hypot: _hypot,
    math.copysign: _copysign,
    max: lambda a, b: (a, 1.0, 0.0) if a >= b else (b, 0.0, 1.0),
    min: lambda a, b: (a, 1.0, 0.0) if a <= b else (b, 0.0, 1.0),
}
# Functions with an infinite derivative somewhere, as of a root at zero. What does not move there to first order, such
# as the square of a speed that is zero, adds nothing; what moves gives infinity, and no derivative.
STEEP = {math.sqrt, math.hypot, operator.pow, operator.ipow, math.pow}


def where(condition, a, b):
    """Return a where the condition holds, b elsewhere."""
    return a if condition else b


# What functions of numpy's are on single numbers: ground that is written for arrays serves at a point.
NUMPY = {name: getattr(math, name) for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "tanh", "hypot", "floor")}
NUMPY |= {"arcsin": math.asin, "arccos": math.acos, "arctan": math.atan, "arctan2": math.atan2, "where": where}
NUMPY |= {"minimum": min, "maximum": max, "abs": abs}
