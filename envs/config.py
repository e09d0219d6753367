"""The options that all environments have, how they are checked and how they are changed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from ..analytic.spelling import check_name, listed
from ..analytic.terrain import Terrain
from ..mjcf import presets
from ..mjcf.presets import Preset
from . import curriculum, disturbances, user_functions
from .commands import Terms
from .kinds import check_fields
from .state import same

PERIOD = 0.02  # control period of most environments [s]
MOST_SUBSTEPS = 100_000  # in a control period: their controls are made beforehand
# A change of these needs a new model.
REMAKE_MODEL = ("params", "terrain", "preset", "ctrl_dt", "randomise", "terrain_difficulty", "terrain_curriculum")
REMAKE_MODEL += ("randomise_contact",)
# Parameters of a robot have one name in options and observations of all machines, which is not that of these fields.
COMMON = {
    "friction": "friction_coeff",
    "base_mass": "body_mass",
    "segment_mass": "body_mass",
    "rho_k": "leg_k",
    "rho_d": "leg_d",
    "leaf_k": "leg_k",
    "leaf_d": "leg_d",
    "max_shaft_torque": "max_torque",
}


def n_substeps_of(ctrl_dt: float, timestep: float, whole: str = "control period", part: str = "timestep") -> int:
    """Return the number of physics steps in a control period; or of other parts in another whole, called that.

    Raises:
        ValueError: If there are too many, or the period is no multiple; the message names the nearest one that is.
    """
    if not ctrl_dt <= MOST_SUBSTEPS * timestep:
        raise ValueError(f"{whole} {ctrl_dt:g} s is more than {MOST_SUBSTEPS} {part}s of {timestep:g} s")
    n_substeps = round(ctrl_dt / timestep)
    if n_substeps < 1 or abs(n_substeps * timestep - ctrl_dt) > 1e-9 * ctrl_dt:
        nearest = max(1, n_substeps) * timestep
        raise ValueError(
            f"{whole} {ctrl_dt:g} s is not a multiple of the {part} {timestep:g} s; the nearest that is: {nearest:g} s"
        )
    return n_substeps


@dataclass(frozen=True)
class TaskConfig:
    """Options of an environment: keywords of `gymnasium.make`, most also options of `reset`.

    A machine's own class gives the defaults that differ, and the class attributes.

    Attributes:
        REWARDS: The terms of the reward, by task.
        SHAPING: Further terms that `reward_weights` turns on: a function of the task or a part of it, and the meaning.
        RANDOMISABLE: The parameters that `randomise` takes, fields of the robot.
        CALLED: Their names in options and observations, where these differ.
        PRESETS: Settings of MuJoCo, by name.
        ACTION_MODES: What an action may mean, where there is a choice; it is then the field `action_mode`.
        PERIODS: The default control period of action modes, where it is not `PERIOD` [s].
        FIXED: Options that `reset` does not take: they shape the spaces.
        NEEDS: Options that have no effect but with some values of a `FIXED` one, so that they are refused without.
    """

    REWARDS: ClassVar[dict[str, Terms]] = {}
    SHAPING: ClassVar[dict[str, tuple[Any, str]]] = {}
    RANDOMISABLE: ClassVar[tuple[str, ...]] = ()
    CALLED: ClassVar[Mapping[str, str]] = COMMON
    PRESETS: ClassVar[dict[str, Preset]] = presets.PRESETS
    ACTION_MODES: ClassVar[tuple[str, ...]] = ()
    PERIODS: ClassVar[dict[str, float]] = {}
    FIXED: ClassVar[tuple[str, ...]] = (
        "task",
        "action_mode",
        "engine",
        "device",
        "observations",
        "scaled",
        *disturbances.FIXED,
        *user_functions.FIXED,
    )

    NEEDS: ClassVar[dict[str, tuple[str, tuple[str, ...]]]] = dict.fromkeys(
        ("command_speed", "command_period", "command_standing", "command_curriculum"), ("task", ("commanded",))
    ) | {"device": ("engine", ("warp",))}

    params: Any = None  # the robot
    task: str = "forward"  # or "commanded": follow a forward speed
    terrain: str | tuple | list | Terrain = "flat"  # a terrain, its name, or that with arguments: ("slope", 0.1, 0.0)
    reroll_terrain: bool = True  # draw a seeded terrain anew from each episode's seed
    terrain_difficulty: tuple[float, float] | None = None  # range of a factor on its heights, drawn in each episode
    terrain_curriculum: bool = False  # change that factor with the robot's progress instead
    terrain_distance: float = 4.0  # distance that counts as far in this curriculum [m]
    preset: str | Preset = "rl"  # contact and timestep settings
    engine: str = "mujoco"  # or "exact" (hybrid engine) or "warp" (single precision), for machines that have them
    device: str | None = None  # where the engine "warp" steps; None is "cpu"
    observations: Sequence[str] | None = None  # names of the entries; by default those of the mode and task
    scaled: bool = False  # divide the entries by their typical values; else SI units
    ctrl_dt: float | None = None  # control period, a multiple of the preset's timestep; by default 0.02 [s]
    reset_noise: float = 0.02  # standard deviation of joint angles [rad], and of velocities [m/s], [rad/s]
    randomise: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # factors on parameters, drawn at reset
    randomise_contact: bool = False  # draw each episode's contact: the preset's, or one of `presets.contacts`
    reward_weights: Mapping[str, float] = field(default_factory=dict)  # new weights, by term
    command_speed: tuple[float, float] = (0.0, 1.0)  # range of the commanded forward speed [m/s]
    command_period: float = 4.0  # time between commands [s]
    rewards: Mapping[str, Any] = field(default_factory=dict)  # your own terms: weight, function of the task
    observe: Mapping[str, Any] = field(default_factory=dict)  # your own entries: size, bound, function of the task
    terminate: Mapping[str, Callable] = field(default_factory=dict)  # your own endings: function, by reason
    privileged: Sequence[str] = ()  # names of the entries in `info["privileged"]`, for a critic
    observation_noise: Mapping[str, float] = field(default_factory=dict)  # standard deviation, by entry, in its unit
    action_delay: tuple[float, float] = (0, 0)  # range of an episode's delay of actions [control periods]
    push_speed: float = 0.0  # largest horizontal speed that a push adds [m/s]; 0: no pushes
    push_interval: tuple[float, float] = (5.0, 10.0)  # range of the time between pushes [s]
    command_standing: float = 0.1  # share of commands to stand still
    command_curriculum: bool = False  # start with narrow command ranges, widen them where met

    def __post_init__(self) -> None:
        check_fields(self)
        self._check_choice("task", self.REWARDS)
        if self.ACTION_MODES:
            self._check_choice("action_mode", self.ACTION_MODES)
        user_functions.check(self)
        disturbances.check(self)
        terms = {**self.REWARDS[self.task], **self.SHAPING, **self.rewards}
        for name in self.reward_weights:
            if name not in terms:
                known = listed(name, terms)
                raise ValueError(f"reward_weights: unknown reward term {name!r}; task {self.task!r} has {known}")
        for name, (low, high) in self.randomise.items():
            self.check_drawn(name, low, high)
        if self.randomise_contact and self.engine != "mujoco":
            raise ValueError(f"randomise_contact draws MuJoCo's contact; engine {self.engine!r} has none to draw")
        if not self.reset_noise >= 0:
            raise ValueError(f"reset_noise must not be negative, got {self.reset_noise}")
        if not self.command_period > 0:
            raise ValueError(f"command_period must be positive, got {self.command_period} s")
        if not 0 <= self.command_standing <= 1:
            raise ValueError(f"command_standing must be a share from 0 to 1, got {self.command_standing}")
        curriculum.check(self)
        n_substeps_of(self.period, presets.find(self.preset, self.PRESETS).timestep)
        self._check_needs()

    def check_drawn(self, name: str, low: float, high: float) -> None:
        """Refuse a parameter that is none, or an impossible range of factors on it.

        Raises:
            ValueError: The message says which.
        """
        if name not in self.randomisable():
            raise ValueError(f"cannot randomise {name!r}; there are {listed(name, self.randomisable())}")
        if not 0 < low <= high:
            raise ValueError(f"the factors of {name!r} need 0 < low <= high, got ({low}, {high})")

    def _check_choice(self, name: str, known) -> None:
        check_name(name, getattr(self, name), known)

    def _check_needs(self) -> None:
        """Refuse an option that was changed where it has no effect."""
        defaults = {entry.name: entry.default for entry in fields(self)}
        for name, (option, values) in self.NEEDS.items():
            chosen = getattr(self, option)
            if chosen not in values and not same(getattr(self, name), defaults[name]):
                raise ValueError(f"{name} needs {option} {' or '.join(map(repr, values))}, here it is {chosen!r}")

    def changed(self, options: Mapping[str, Any]) -> "TaskConfig":
        """Return the configuration with some options of a reset changed.

        Raises:
            ValueError: If one is unknown or `FIXED`, or its value is impossible.
        """
        known = [entry.name for entry in fields(self) if entry.name not in self.FIXED]
        for name in options:
            check_name("option", name, known)
        return replace(self, **options)

    @classmethod
    def randomisable(cls) -> dict[str, str]:
        """Return the parameters that `randomise` takes: fields of the robot, by their names here."""
        return {cls.CALLED.get(name, name): name for name in cls.RANDOMISABLE}

    @property
    def period(self) -> float:
        """The control period [s]."""
        if self.ctrl_dt is not None:
            return self.ctrl_dt
        return self.PERIODS.get(getattr(self, "action_mode", ""), PERIOD)

    @property
    def robot(self) -> Any:
        """The parameters of the robot."""
        return self.params

    @property
    def command_ranges(self) -> tuple[tuple[float, float], ...]:
        """Lowest and highest of each number of a command."""
        return (self.command_speed,)

    @property
    def adapts(self) -> bool:
        """Whether a curriculum goes by how episodes went."""
        return self.command_curriculum or self.terrain_curriculum

    @property
    def graded(self) -> bool:
        """Whether each simulation has a terrain of its own difficulty."""
        return self.terrain_curriculum or self.terrain_difficulty is not None

    @property
    def difficulty_range(self) -> tuple[float, float]:
        """The least and the greatest difficulty of the terrain."""
        return (0.0, 1.0) if self.terrain_difficulty is None else self.terrain_difficulty

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each term of the reward."""
        always = {name: term[0] for name, term in (*self.REWARDS[self.task].items(), *self.rewards.items())}
        return always | {name: weight for name, weight in self.reward_weights.items() if weight or name in always}
