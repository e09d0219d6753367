"""What the kernel's integers mean, and the unit of rounding."""

# What a transition returns to say "not an event after all": the run goes on, the guard waits until it is positive.
DECLINE = -1

# Why a run ended; the sentences are in `hybrid/result.py`.
RUNNING = 0
FINAL_TIME = 1
STOPPED = 2
CHART_LIMIT = 3
INVALID_CHART = 4
INVALID_ENTRY = 5
STEP_TOO_SMALL = 6
STOP_ITER = 7
ZENO = 8
CHATTER = 9
NONFINITE = 10
STEP_LIMIT = 11
UNKNOWN_CHART = 12
MODEL_ERROR = 13

# What a run that is not over waits for when the loop returns.
ROOM = 20  # the record or the event log is full
FRAME = 21  # a picture is due
MEASURE = 22  # a measurement is due
EVENT = 23  # a transition is due that the caller performs

# Where the loop is: what it does next.
BEGIN = 7  # check what was given, choose the first chart
ENTER = 0  # start in a chart at (t, x)
STEP = 1  # take a step
SEARCH = 2  # look for events in the accepted step
EMIT = 3  # write the records that lie before the next stop
ARRIVE = 4  # go to the end of the step
ACT = 5  # perform the located event
ADOPT = 8  # take what its transition made, which the caller has performed
OVER = 6

# State of a guard.
OFF = 0  # not part of this chart
ARMED = 1  # positive: fires when it falls to zero
ROOT = 2  # starts at zero and rises: until it is clear of that zero only its derivative tells
DISARMED = 3  # declined, ignored while negative, or at rest at zero: waits until it is certainly positive

# What follows when a guard that rests at zero leaves it downward (MOVES: it does not rest): it waits; the run ends; it
# fires; it is armed on the side that it leaves to, as it fires both ways.
MOVES, WAITS, REFUSES, FIRES, EITHER = 0, 1, 2, 3, 4

# Whether a guard may have an event in a step: no; yes; yes, as it waited and has become positive.
CLOSED, OPEN, RISEN = 0, 1, 2

# What is known of a guard in a window of a step: its sign; that it is monotone; that it cannot be told from zero;
# nothing, so that the window is to be split; positive, with a minimum within the tolerance for grazing.
POSITIVE, NEGATIVE, RISING, FALLING, TOUCH, SPLIT, LOW = 0, 1, 2, 3, 4, 5, 6

# What the model says about a guard.
RIGHT, LEFT = 0, 1  # the accepted point lies just after, just before the crossing
CHANGE, INVALID = 0, 1  # leads to a transition; ends the run, because the chart is no longer valid
REFUSE, FIRE, IGNORE, IGNORE_LATER = 0, 1, 2, 3  # what to do if a chart is entered with this guard negative

# Whether the state has moved where a chart begins: no, a transition has moved it, or it is the run's first.
STAYED, MOVED, START = 0, 1, 2

# What a line of the event log tells.
TRANSITION, DECLINED, GRAZING, ACCUMULATION = 0, 1, 2, 3

# What `w.culprit` counts when the status is NONFINITE.
BAD_STATE, BAD_FIELD, BAD_GUARD, BAD_PARAMETER, BAD_MEMORY = 0, 1, 2, 3, 4

# Rounding: the distance from 1 to the next number of double precision.
EPS = 2.220446049250313e-16

# Steps, less one, in which all guards must be clear before a box for several steps is tried (negative).
PATIENCE = -2.0
NO_SIGN, ONTO_ZERO = 0, 1  # what a guard does where STOP_ITER ends a run
CLOCK = 16.0  # units of rounding in time: the smallest gap between events that is told from none
