"""Render the pictures of the README and of docs/: the hexapod on its way over rough ground.

Usage: tarsus write pictures. Needs an OpenGL library (EGL or OSMesa); takes about five seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Rough
from tarsus.scripts import rendering

INSTANTS = (2.25, 2.52, 2.75)  # a tripod in mid-swing, double support, the other tripod [s]
WIDTH, HEIGHT = 400, 300  # of each instant [pixel]


def hexapod() -> np.ndarray:
    """Return the hexapod at a few instants of a stride, side by side, shape (height, n width, 3)."""
    import mujoco

    from tarsus.scripts.experiment import Experiment, Stepper

    stepper = Stepper(Experiment(HexapodParams(), TripodGait(), Rough(), "rl"))
    images = []
    with mujoco.Renderer(stepper.model, 2 * HEIGHT, 2 * WIDTH) as renderer:
        for instant in INSTANTS:
            while stepper.data.time < instant:
                stepper.step()
            renderer.update_scene(stepper.data, "follow")
            image = renderer.render().reshape(HEIGHT, 2, WIDTH, 2, 3)
            images.append(image.mean(axis=(1, 3)).astype(np.uint8))  # four rays a pixel: smooth edges
    return np.concatenate(images, axis=1)


def main(argv: list[str] | None = None) -> int:
    """Write the pictures into docs/figures."""
    parser = argparse.ArgumentParser(prog="tarsus write pictures", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "docs" / "figures")
    args = parser.parse_args(argv)
    if not rendering.choose_opengl():
        print(rendering.NO_OPENGL)
        return 1
    import imageio.v3 as iio

    args.out.mkdir(parents=True, exist_ok=True)
    iio.imwrite(args.out / "hexapod.png", hexapod())
    print(args.out / "hexapod.png")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
