"""Drawing a recorded run: which OpenGL there is, and the video of a record.

A picture needs nothing but the positions in the record, so a run of any engine can be drawn, and drawn again.

MuJoCo chooses its OpenGL when it is imported, and a failed import cannot be undone. So this module imports MuJoCo only
inside its functions, and `choose_opengl` must be called before anything else imports it.
"""

import contextlib
import errno
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.analytic import saving

INSTALL_OPENGL = "apt-get install -y --no-install-recommends libegl1 libgl1"
NO_OPENGL = f"No OpenGL library was found, so nothing is drawn in 3-D; to install one: {INSTALL_OPENGL}"
BACKENDS = ("egl", "osmesa") if sys.platform == "linux" else ("",)  # "" is the system's own, as on macOS
FPS = 25  # pictures per second of a video: whole milliseconds and whole control periods apart
RUN_FPS = 12.5  # of the film of a run, whose drawing takes most of the run's time
SIZE = (640, 480)  # width and height of a video [pixel]
HALF = (480, 480)  # of each of two side by side
ARROW = 0.008  # length of a drawn foot force [m/N]


def renders_with(backend: str) -> bool:
    """Return whether a scene can be rendered in a new process with this MUJOCO_GL."""
    code = "import mujoco; mujoco.Renderer(mujoco.MjModel.from_xml_string('<mujoco/>'), 8, 8).render()"
    env = {**os.environ, "MUJOCO_GL": backend}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True).returncode == 0


def choose_opengl() -> bool:
    """Set MUJOCO_GL to what renders here, or to none; return whether something does. What is set is not replaced.

    Every command that draws with MuJoCo asks this first, and imports MuJoCo after it.
    """
    wanted = (os.environ["MUJOCO_GL"],) if os.environ.get("MUJOCO_GL") else BACKENDS
    backend = next((name for name in wanted if renders_with(name)), None)
    os.environ["MUJOCO_GL"] = "disable" if backend is None else backend  # a broken one would spoil MuJoCo's import
    return backend is not None


def qpos_of(record, row: int) -> np.ndarray:
    """Return MuJoCo's `qpos` of a row of a record, shape (25,) of a hexapod."""
    now = record.isel(time=row)
    if "joint_angle" in record:
        return np.concatenate([now["body_position"], now["body_orientation"], now["joint_angle"]])
    legs = np.stack([now["hip_angle"], now["splay"], now["leg_length"]], axis=-1)  # (6, 3)
    return np.concatenate([now["body_position"], now["body_orientation"], legs.ravel()])


def rows_at(record, fps: float, speed: float = 1.0) -> np.ndarray:
    """Return the row nearest to each frame of a film, shape (n_frames,); `speed` > 1 is faster than real time."""
    time = record["time"].values
    frames = time[0] + np.arange(max(1, int((time[-1] - time[0]) * fps / speed + 1e-6))) * speed / fps
    right = np.clip(np.searchsorted(time, frames), 1, len(time) - 1)
    return right - (frames - time[right - 1] < time[right] - frames)


def smooth_edges(model, samples: int = 4, shadows: int = 2048) -> None:
    """Make a model's renderers, from now on, compute each pixel from several samples, in place.

    It doubles the time of a picture where there is no graphics processor, so the models themselves do not ask for it.
    """
    model.vis.quality.offsamples, model.vis.quality.shadowsize = samples, shadows


def frames(
    record, model, camera: str = "follow", size=SIZE, fps: float = FPS, speed: float = 1.0, forces: bool = False
) -> Iterator:
    """Yield the frames of a film of the record, shape (height, width, 3) uint8.

    Args:
        record: The record.
        model: A model of the robot on its ground.
        camera: A camera of the model.
        size: Width and height [pixel].
        fps: Frames per second.
        speed: Seconds of the record per second of film.
        forces: Whether there is an arrow for every foot force.
    """
    rows = rows_at(record, fps, speed)
    now = record.isel(time=rows)
    states = [qpos_of(record, row) for row in rows]
    instants = zip(states, now["foot_position"].values, now["foot_force"].values, strict=True)
    yield from film(model, instants, camera, size, forces)


def film(model, instants: Iterable, camera: str = "follow", size=SIZE, forces: bool = False) -> Iterator:
    """Yield an image of each instant, shape (height, width, 3) uint8.

    Args:
        model: A model of the robot on its ground.
        instants: Each `qpos`, the feet (n_legs, 3) [m] and the forces on them (n_legs, 3) [N], world frame.
        camera: A camera of the model.
        size: Width and height [pixel].
        forces: Whether there is an arrow for every force.
    """
    import mujoco

    smooth_edges(model)
    data = mujoco.MjData(model)
    with mujoco.Renderer(model, size[1], size[0]) as renderer:
        for qpos, feet, loads in instants:
            data.qpos[:] = qpos
            mujoco.mj_forward(model, data)
            renderer.update_scene(data, camera)
            for foot, force in zip(feet, loads, strict=True) if forces else ():
                _add_arrow(renderer.scene, foot, foot + ARROW * force)
            yield renderer.render()


def _add_arrow(scene, start: np.ndarray, end: np.ndarray) -> None:
    import mujoco

    if scene.ngeom >= scene.maxgeom or np.linalg.norm(end - start) < 1e-3:
        return
    geom = scene.geoms[scene.ngeom]
    arrow = mujoco.mjtGeom.mjGEOM_ARROW
    mujoco.mjv_initGeom(
        geom, arrow, np.zeros(3), np.zeros(3), np.zeros(9), np.array([0.85, 0.1, 0.15, 0.9], np.float32)
    )
    mujoco.mjv_connector(geom, arrow, 0.006, start, end)
    scene.ngeom += 1


def write_video(record, model, path: Path | str, **options) -> int:
    """Write the film of a record (.mp4, .gif); return the number of frames. Options are those of `frames`."""
    fps = options.setdefault("fps", RUN_FPS)
    return write_film(path, frames(record, model, **options), fps, len(rows_at(record, fps, options.get("speed", 1.0))))


def write_both(path: Path | str, records: Mapping[str, Any], model) -> int:
    """Write a film of runs of one machine side by side, each under its name; return the number of frames."""
    total = min(len(rows_at(record, FPS)) for record in records.values())
    return write_film(path, side_by_side(records, model, size=HALF, forces=True), FPS, total)


def side_by_side(records: Mapping[str, Any], model, **options) -> Iterator:
    """Yield the frames of `write_both`; options are those of `frames`."""
    films = [_named(name, frames(record, model, **options)) for name, record in records.items()]
    yield from (np.hstack(images) for images in zip(*films, strict=False))


def _named(name: str, images: Iterable) -> Iterator:
    """Yield images with a name in their upper left corner."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(20)
    for image in images:
        picture = Image.fromarray(image)
        ImageDraw.Draw(picture).text((12, 8), name, (20, 20, 20), font)
        yield np.asarray(picture)


def film_steps(env, steps: Iterable, path: Path, n_steps: int) -> int:
    """Film an environment in real time while it takes at most so many steps; return the number of pictures."""
    smooth_edges(env.unwrapped.model)
    period = env.unwrapped.ctrl_dt
    every = max(1, round(1 / (FPS * period)))  # whole control periods between pictures keep the film's pace even
    images = (env.render() for k, _ in enumerate(steps) if k % every == 0)
    return write_film(path, images, 1 / (every * period), -(-n_steps // every))


def write_film(path: Path | str, images: Iterable, fps: float, total: int | None = None) -> int:
    """Write images as a film (.mp4, .gif) of so many a second, with a progress bar; return how many there were.

    Args:
        path: Of the film.
        images: Each (height, width, 3) of uint8; drawn one by one, as they are asked for.
        fps: Pictures per second.
        total: How many there will be at most, for the bar.
    """
    from tqdm import tqdm

    n, bar = 0, tqdm(images, desc="film", total=total, unit="picture", mininterval=1.0)
    with film_writer(path, fps) as append:
        for image in bar:
            append(image)
            n += 1
    return n


@contextlib.contextmanager
def film_writer(path: Path | str, fps: float, **options) -> Iterator[Callable]:
    """Give a function that appends an image to a film (.mp4, .gif), which is there when the block ends well.

    Args:
        path: The film.
        fps: Images per second.
        options: Of imageio's writer of an .mp4.

    Raises:
        OSError: If the film could not be written whole.
    """
    import imageio

    n, buffer = 0, io.BytesIO()
    gif = Path(path).suffix == ".gif"
    pace = {"duration": 1000.0 / fps} if gif else {"fps": fps, "macro_block_size": None, "ffmpeg_log_level": "fatal"}

    def append(image: np.ndarray) -> None:
        nonlocal n
        try:
            writer.append_data(image)
        except OSError as error:  # its message has FFmpeg's command line and more
            raise OSError(errno.EIO, "FFmpeg stopped writing the film; is the disk full?", str(path)) from error
        n += 1

    with saving.writing(path) as part:
        # Pillow would try again to write a GIF that does not fit, when its writer is forgotten.
        with imageio.get_writer(*((buffer, "GIF") if gif else (part,)), **pace | ({} if gif else options)) as writer:
            yield append
        if gif:
            part.write_bytes(buffer.getvalue())
        elif _images_in(part) < n:  # FFmpeg's failure is not reported
            raise OSError(errno.EIO, "FFmpeg did not write the whole film; is the disk full?", str(path))


def _images_in(film: Path) -> int:
    """Return the number of a film's images, 0 if it cannot be read."""
    import imageio_ffmpeg

    try:
        return imageio_ffmpeg.count_frames_and_secs(film)[0]
    except RuntimeError:
        return 0
