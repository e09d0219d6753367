"""The pictures of the README and of docs/: the hexapod on rough ground, multipods and BigANT.

Usage: tarsus page pictures [--write]. Needs an OpenGL library (EGL or OSMesa); takes about twenty seconds.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic import saving
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Rough
from tarsus.scripts.command import arguments
from tarsus.scripts.laboratory import frame
from tarsus.scripts.library.views import rendering

HERO, HERO_SIZE = 2.72, (1200, 600)  # when the hexapod is seen [s], a tripod landing; (width, height) [pixel]
WIDTH, HEIGHT = 400, 300  # of each of the others [pixel]
MULTIPOD_LEGS = (4, 6, 12, 24)
WALK = 4.2  # after which the multipods and BigANT are seen [s]


def hexapod() -> np.ndarray:
    """Return the hexapod in mid-stride on rough ground, from near by, shape (height, width, 3)."""
    import mujoco

    from tarsus.scripts.library.machines.hexapod import HexapodExperiment
    from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper

    stepper = HexapodStepper(HexapodExperiment(HexapodParams(), TripodGait(), Rough(), "rl"))
    while stepper.data.time < HERO:
        stepper.step()
    model, camera, (width, height) = stepper.model, mujoco.MjvCamera(), HERO_SIZE
    rendering.smooth_edges(model, 4, 4096)
    model.vis.global_.offwidth, model.vis.global_.offheight = 2 * width, 2 * height
    camera.lookat, camera.distance = stepper.data.qpos[:3] + (0, 0.04, -0.02), 0.76
    camera.azimuth, camera.elevation = 150, -17
    with mujoco.Renderer(model, 2 * height, 2 * width) as renderer:
        renderer.update_scene(stepper.data, camera)
        return smoothed(renderer.render())


def smoothed(image: np.ndarray) -> np.ndarray:
    """Return an image at half its size: four rays a pixel make smooth edges."""
    height, width = image.shape[0] // 2, image.shape[1] // 2
    return image.reshape(height, 2, width, 2, 3).mean(axis=(1, 3)).astype(np.uint8)


def walking(robot: str, seconds: float = WALK, **params) -> np.ndarray:
    """Return a robot of `ROBOTS` at the end of a walk, with its feet's forces, shape (height, width, 3)."""
    from tarsus.scripts.library.machines.multipod_mujoco import ROBOTS, Walking, WalkingStepper, walk

    machine = ROBOTS[robot]
    robot_params = machine.params(**params)
    asked = Walking(robot, robot_params, machine.gait(robot_params), preset="rl")
    found = walk(asked, seconds)
    last = (found.qpos[-1], *(found.record[name].values[-1] for name in ("foot_position", "foot_force")))
    return smoothed(
        next(rendering.film(WalkingStepper(asked).model, [last], size=(2 * WIDTH, 2 * HEIGHT), forces=True))
    )


def multipods() -> np.ndarray:
    """Return multipods of several sizes, in two rows."""
    images = [walking("multipod", n_legs=n) for n in MULTIPOD_LEGS]
    return np.concatenate([np.concatenate(images[:2], axis=1), np.concatenate(images[2:], axis=1)])


def bigant() -> np.ndarray:
    """Return BigANT at three instants of its tripod gait, side by side."""
    return np.concatenate([walking("bigant", WALK + k * 0.9) for k in range(3)], axis=1)


PICTURES = {"hexapod": hexapod, "multipods": multipods, "bigant": bigant}


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus page pictures", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PICTURES, default=PICTURES, help="pictures; by default all")
    frame.add_pictures(parser)
    with arguments.read(parser, argv) as args:
        folder = frame.pictures_folder(args)
        if not rendering.choose_opengl():
            raise ValueError(rendering.NO_OPENGL)
    import imageio.v3 as iio

    for name in args.only:
        picture = PICTURES[name]()
        with saving.writing(folder / f"{name}.png") as part:
            iio.imwrite(part, picture)
        print(folder / f"{name}.png")
    return 0
