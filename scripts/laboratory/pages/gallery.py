"""The pictures of figures, from the golden data of the tests, and films of everything that moves.

Usage: tarsus page gallery [--only NAME ...] [--no-clips] [--no-figures] [--write]. Seconds for the figures; minutes
for the clips without a graphics processor, for which there must be an OpenGL library.

A figure whose golden data are those of a smaller computation is left as it is: its own page's command draws it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.analytic import saving
from tarsus.analytic.models.hexapod import HexapodParams, robot
from tarsus.analytic.terrain import Flat, Stairs, Terrain
from tarsus.controllers import clock_gaits
from tarsus.scripts.command import arguments
from tarsus.scripts.laboratory import documents, frame
from tarsus.scripts.laboratory.drawing import load, names, picture, title
from tarsus.scripts.laboratory.pages import verb_pages
from tarsus.scripts.laboratory.try_it import robots
from tarsus.scripts.library.views.rendering import INSTALL_OPENGL, choose_opengl, smooth_edges

if TYPE_CHECKING:
    from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper

ROOT = Path(__file__).parents[3]
PICTURES = documents.DOCS / "figures"
CLIP_SIZE, CLIP_FPS, CLIP_SECONDS = (320, 240), 20, 3.0  # (width, height) [pixel], [1/s], [s]
COLOURS = 64  # of a clip; fewer are smaller
FILMED = {  # clip: environment, policy, options of `make`, seconds before it begins
    "hexapod": ("Hexapod-v0", "clock", {"terrain": "rough"}, 1.0),
    "hexapod_learned": ("Hexapod-v0", "hexapod-gait", {}, 3.0),
    "hoppingleg": ("HoppingLeg-v1", "Raibert", {}, 3.0),
    "slipleg": ("SlipLeg-v1", "SLIP", {}, 0.0),
    "multipod": ("Multipod-v1", "undulation", {"n_legs": 12}, 1.0),
    "bigant": ("BigAnt-v1", "tripod", {}, 1.0),
    "dog": ("Dog-v0", "clock", {}, 1.0),
}
TASK_FPS, TASK_BEGINS = 10, 3.0  # of the clip of the frozen tasks [1/s]; seconds before it begins
BOTH_BEGIN, BOTH_SPEED = 2.0, 0.5  # seconds before it begins; seconds of the walk per second of film
WALKED = {  # clip of RHex: gait, ground, legs, seconds before it begins, speed of the film
    "rhex_fast": ("rhex-sprint", Flat(), "toes", 3.0, 0.25),
    "rhex_pronk": ("rhex-pronk-fast", Flat(), "toes", 3.0, 0.25),
    "rhex_stairs": ("rhex-climb", Stairs(0.17, 0.28), "half-circle", 5.0, 1.0),
}


def draw(name: str, folder: Path) -> bool:
    """Draw a figure from its golden data; return whether there are such of the whole figure."""
    figure = load(name)
    stored = ROOT / "tests" / "golden" / f"figure_{name}.npz"
    if hasattr(figure, "GOLDEN") or hasattr(figure, "MEASURED") or not stored.exists():
        return False
    with np.load(stored) as data:
        drawn = picture(figure, dict(data))
    with saving.writing(folder / f"{name}.png") as part:
        drawn.savefig(part, dpi=90)
    return True


def whole(text: str) -> str:
    """Return docs/figures.md as the site has it: behind its text every figure, with its description and options."""
    options, parts = verb_pages.own_options(verb_pages.FIGURES), [text.strip()]
    for name in names():
        drawn = f"![{name}](figures/{name}.png)" if (PICTURES / f"{name}.png").exists() else ""
        parts += [f"## {name}", title(name), load(name).__doc__.partition("\n")[2].strip(), *options[name], drawn]
    return "\n\n".join(filter(None, parts)) + "\n"


def film(clip: str, folder: Path) -> None:
    """Write a clip of an environment under a policy."""
    import gymnasium

    from tarsus.scripts.library.learning import policies

    environment, policy, options, before = FILMED[clip]
    made, name, asked = policies.find(policy, environment, options)
    size = dict(zip(("width", "height"), CLIP_SIZE, strict=True))
    env = gymnasium.make(name, render_mode="rgb_array", max_episode_steps=10**9, **asked, **size)
    smooth_edges(env.unwrapped.model)
    act, (observation, info) = made.make(env, 0), env.reset(seed=0)
    frames = []
    while len(frames) < CLIP_SECONDS * CLIP_FPS:
        if info["time"] >= before + len(frames) / CLIP_FPS:
            frames.append(env.render())
        observation, _, terminated, _, info = env.step(act(observation, info))
        if terminated:
            raise RuntimeError(f"{environment}: {info['termination']}")
    env.close()
    save(clip, frames, folder)


def film_walk(clip: str, folder: Path) -> None:
    """Write a clip of a gait of RHex's clock, at another speed than real time."""
    from tarsus.scripts.library.machines import hexapod_mujoco
    from tarsus.scripts.library.views import rendering

    gait, ground, legs, before, speed = WALKED[clip]
    stepper = _rhex(gait, ground, legs)
    record = hexapod_mujoco.simulate(stepper.experiment, before + speed * CLIP_SECONDS, stepper=stepper).record
    late, model = record.isel(time=record["time"].values >= before), stepper.experiment.model()
    save(clip, list(rendering.frames(late, model, size=CLIP_SIZE, fps=CLIP_FPS, speed=speed, forces=True)), folder)


def _rhex(gait: str, ground: Terrain, legs: str) -> HexapodStepper:
    """Return RHex's stepper in MuJoCo: from rest, after a run-up, or held by feedback."""
    from tarsus.mjcf.hexapod import presets_of
    from tarsus.scripts.laboratory.studies import rhex_held, rhex_walks
    from tarsus.scripts.library.machines.hexapod import HexapodExperiment
    from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper

    params = robot("rhex-drive")
    if gait in rhex_held.CASES:
        return rhex_held.HeldRhex.of(gait).stepper()
    if gait in clock_gaits.RHEX_NOT_FROM_REST:
        return HexapodStepper(rhex_walks.after_run_up(clock_gaits.RHEX_NOT_FROM_REST[gait], params).experiment)
    preset = "reference" if legs == "toes" else presets_of(params)["rl"]
    return HexapodStepper(HexapodExperiment(params, clock_gaits.find(gait), ground, preset, legs=legs))


def film_both(clip: str, folder: Path) -> None:
    """Write a clip of a walk in the exact engine, at the left, and in MuJoCo."""
    from tarsus.scripts.library.views import rendering

    walks, model = BOTH[clip](BOTH_BEGIN + BOTH_SPEED * CLIP_SECONDS)
    late = {name: record.isel(time=record["time"].values >= BOTH_BEGIN) for name, record in walks.items()}
    options = {"size": CLIP_SIZE, "fps": CLIP_FPS, "speed": BOTH_SPEED, "forces": True}
    save(clip, list(rendering.side_by_side(late, model, **options)), folder)


def _hexapod_walks(seconds: float) -> tuple[dict, Any]:
    """Return the records of the hexapod's default walk in both engines, and MuJoCo's model."""
    from tarsus.scripts.library.machines import hexapod_exact, hexapod_mujoco
    from tarsus.scripts.library.machines.hexapod import HexapodExperiment

    params = HexapodParams()
    experiment, engines = HexapodExperiment(params, params.gait, Flat()), (hexapod_exact, hexapod_mujoco)
    records = [engine.simulate(experiment, seconds).record for engine in engines]
    return dict(zip(robots.ENGINES, records, strict=True)), experiment.model()


# Clips of the same walk in both engines, side by side, with the feet's forces.
BOTH: dict[str, Callable[[float], tuple[dict, Any]]] = {
    "hexapod_engines": _hexapod_walks,
    "dog_engines": robots.records,
}


def film_tasks(clip: str, folder: Path) -> None:
    """Write a clip of all frozen tasks, five in a row, each under the last policy of its table that has a name."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from tarsus.envs import TASKS

    played, frames = {name: _playing(name) for name in TASKS}, []
    for k in range(int(TASK_FPS * CLIP_SECONDS)):
        figure = Figure(figsize=(9.0, 3.2), dpi=100, layout="tight")
        for (name, shown), axes in zip(played.items(), figure.subplots(-(-len(played) // 5), 5).flat, strict=True):
            axes.imshow(shown[k])
            axes.set_title(name.partition("/")[2], fontsize=9)
            axes.axis("off")
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        frames.append(np.asarray(canvas.buffer_rgba())[..., :3])
    save(clip, frames, folder, TASK_FPS)


def _playing(name: str) -> list[np.ndarray]:
    """Return the frames of a frozen task; the last one stays where an episode ends before the clip."""
    from tarsus.envs.frozen import SEEDS
    from tarsus.scripts.laboratory.pages.tasks import PLAYED
    from tarsus.scripts.library.learning import playing

    size = dict(zip(("width", "height"), CLIP_SIZE, strict=True))
    env, act = playing.start(PLAYED[name][-1], name, {}, 0, render_mode="rgb_array", **size)
    smooth_edges(env.unwrapped.model)
    (observation, info), over, frames = env.reset(seed=SEEDS[0]), False, []
    while len(frames) < TASK_FPS * CLIP_SECONDS:
        if over or info["time"] >= TASK_BEGINS + len(frames) / TASK_FPS:
            frames.append(frames[-1] if over and frames else env.render())
            continue
        observation, _, over, _, info = env.step(act(observation, info))
    env.close()
    return frames


def save(clip: str, frames: list[np.ndarray], folder: Path, fps: float = CLIP_FPS) -> None:
    """Write the frames of a clip."""
    import imageio.v3 as iio

    with saving.writing(folder / f"{clip}.gif") as part:
        iio.imwrite(part, _few_colours(frames), duration=1000 / fps, loop=0)


def _few_colours(frames: list[np.ndarray]) -> np.ndarray:
    from PIL import Image

    # An octree keeps the colours of small parts, legs above all, where Pillow's median cut spends all on the ground.
    some = np.concatenate(frames[:: max(1, len(frames) // 6)])
    palette = Image.fromarray(some).quantize(COLOURS, method=Image.Quantize.FASTOCTREE)
    few = [Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    return np.stack([np.asarray(image.convert("RGB")) for image in few])


def _clips() -> dict[str, Callable[[str, Path], None]]:
    made = dict.fromkeys(FILMED, film) | dict.fromkeys(WALKED, film_walk) | dict.fromkeys(BOTH, film_both)
    return made | {"tasks": film_tasks}


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus page gallery", description=__doc__.partition("\n")[0])
    there_are = [*names(), *_clips()]
    parser.add_argument("--only", nargs="+", choices=there_are, metavar="NAME", help="these figures and clips")
    parser.add_argument("--no-clips", action="store_true", help="figures only")
    parser.add_argument("--no-figures", action="store_true", help="clips only")
    frame.add_pictures(parser)
    with arguments.read(parser, argv) as args:
        folder = frame.pictures_folder(args)
    wanted = args.only or there_are
    clips = {} if args.no_clips else {clip: write for clip, write in _clips().items() if clip in wanted}
    if clips and not choose_opengl():  # before MuJoCo is imported
        print(f"tarsus page gallery: no clips: {INSTALL_OPENGL}", file=sys.stderr)
        clips = {}
    for name in [] if args.no_figures else (name for name in names() if name in wanted):
        print(f"{name}: {'drawn' if draw(name, folder) else 'left as it is'}")
    for clip, write in clips.items():
        write(clip, folder)
        print(f"{clip}: filmed")
    return 0
