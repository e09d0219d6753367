"""How a run ends, and what it logs."""

from dataclasses import dataclass
from enum import Enum


class RunStatus(Enum):
    """Why a run stopped; the value is a sentence."""

    FINAL_TIME = "reached the time that was asked for"
    INDETERMINATE = (
        "Coulomb's law allows two futures: `futures` has their accelerations, or speeds; `undecided` may choose"
    )
    NO_SOLUTION = "no forces obey the laws here: friction jams and no impact ends that, or nothing moves what closes"
    NOT_SOLVED = "the modes after an event were not found"
    CHATTER = "events follow each other without end: 1000 within a millisecond"
    STEP_TOO_SMALL = "the step fell below rounding: the field is too stiff here, as where a foot slips very slowly"
    NONFINITE = "the field is not finite"
    STEP_LIMIT = "`max_steps` steps between two events were not enough"


@dataclass(frozen=True)
class Event:
    """An event of a run: when, what ("impact", "liftoff", "slip", ...), whose, and the energy it lost [J]."""

    time: float
    what: str
    name: str
    lost: float
