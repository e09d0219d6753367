"""A plot in the plane that follows a run while it is computed, can be stopped, and is played back afterwards.

What the report's RobotPlotter offered: vectors, points and lines, text, signals over time, a stop button, playback; and
videos. What is shown belongs to a time; of several with the same style or colour only the last is visible.

Source: Hauter, Leitner, Freisinger (TUM 2021), IV-A.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.scripts.library.views.rendering import film_writer

SIZE = (9.6, 6.0)  # of the figure [inch], at 100 dots per inch


@dataclass
class Moment:
    """What is shown at one time."""

    t: float
    points: dict[str, np.ndarray] = field(default_factory=dict)  # by style, (k, 2)
    vectors: dict[str, np.ndarray] = field(default_factory=dict)  # by colour, origin and vector, (2, 2)
    text: str = ""
    signals: dict[str, float] = field(default_factory=dict)


class LegPlot:
    """Shows moments of a run.

    Args:
        stop: Called when the stop button is pressed.
        width: Of what is seen of the world; it follows the end of each moment's first line [m].
        heights: Lowest and highest point seen [m].
        ground: `height(x)` of the ground [m].

    Attributes:
        moments: All that was shown, in order.
        stopped: Whether the stop button was pressed, or the window closed.
    """

    def __init__(
        self,
        stop: Callable | None = None,
        width: float = 2.4,
        heights: tuple[float, float] = (-0.1, 1.1),
        ground: Callable = np.zeros_like,
    ):
        import matplotlib.pyplot as plt

        self._plt, self._stop, self._width, self._ground = plt, stop, width, ground
        self.moments: list[Moment] = []
        self.stopped = False
        self.figure, (self._world, self._time) = plt.subplots(
            2, 1, figsize=SIZE, dpi=100, height_ratios=(3, 1), gridspec_kw={"hspace": 0.25, "bottom": 0.16, "top": 0.95}
        )
        self._world.set(ylim=heights, aspect="equal", ylabel="z [m]")
        self._time.set(xlabel="t [s]", ylabel="of its largest")
        self._soil = self._world.fill_between([0, 1], [0, 0], -1, color="0.85")
        self._curves: dict[str, Any] = {}
        self._arrows: dict[str, Any] = {}
        self._words = self._world.text(0.02, 0.95, "", transform=self._world.transAxes, va="top", family="monospace")
        self._widgets: list[Any] = []  # matplotlib forgets a widget that nobody holds

    def points(self, t: float, style: str, *points: np.ndarray) -> None:
        """Show points, or the line through them, in a matplotlib style such as "ko-"."""
        self._moment(t).points[style] = np.array(points, float).reshape(-1, 2)

    def vector(self, t: float, origin: np.ndarray, vector: np.ndarray, color: str = "r") -> None:
        """Show an arrow."""
        self._moment(t).vectors[color] = np.array([origin, vector], float)

    def text(self, t: float, text: str) -> None:
        """Show a text in the corner, and again in playback."""
        self._moment(t).text = text

    def signal(self, t: float, **values: float) -> None:
        """Add values to curves over time, each scaled by its largest."""
        self._moment(t).signals |= values

    def _moment(self, t: float) -> Moment:
        if not self.moments or self.moments[-1].t != t:
            self.moments.append(Moment(t))
        return self.moments[-1]

    def draw(self, index: int = -1) -> None:
        """Draw one of the moments, by default the last."""
        moment = self.moments[index]
        for style, points in moment.points.items():
            if style not in self._curves:
                (self._curves[style],) = self._world.plot([], [], style)
            self._curves[style].set_data(*points.T)
        for color, (origin, vector) in moment.vectors.items():
            if color in self._arrows:
                self._arrows.pop(color).remove()
            if np.hypot(*vector) < 1e-3:
                continue
            shape = {"width": 0.006, "head_width": 0.03, "length_includes_head": True, "zorder": 5}
            self._arrows[color] = self._world.arrow(*origin, *vector, color=color, **shape)
        self._words.set_text(moment.text)
        centre = next(iter(moment.points.values()))[-1, 0] if moment.points else 0.0
        self._follow(centre)
        self._draw_signals(moment.t)

    def _follow(self, centre: float) -> None:
        x = np.linspace(centre - 0.5 * self._width, centre + 0.5 * self._width, 200)
        self._world.set_xlim(x[0], x[-1])
        self._soil.remove()
        self._soil = self._world.fill_between(x, self._ground(x), -1.0, color="0.85", zorder=0)

    def _draw_signals(self, t: float) -> None:
        past = [moment for moment in self.moments if moment.t <= t and moment.signals]
        times = np.array([moment.t for moment in past])
        for name in past[-1].signals if past else ():
            values = np.array([moment.signals.get(name, np.nan) for moment in past])
            if name not in self._curves:
                (self._curves[name],) = self._time.plot([], [], linewidth=1, label=name)
                self._time.legend(loc="upper left", fontsize=8, ncols=4)
            self._curves[name].set_data(times, values / max(np.nanmax(np.abs(values)), 1e-12))
        self._time.set(xlim=(max(0.0, t - 2.0), max(t, 2.0)), ylim=(-1.1, 2.0))  # room for the legend

    def show(self, pause: float = 1e-3) -> bool:
        """Draw the last moment in a window; return whether the run should stop."""
        if not self._widgets:
            self._add_button("STOP", self._pressed)
        self.draw()
        self._plt.pause(pause)
        self.stopped = self.stopped or not self._plt.fignum_exists(self.figure.number)
        return self.stopped

    def _pressed(self, _event: Any) -> None:
        self.stopped = True
        if self._stop is not None:
            self._stop()

    def _add_button(self, label: str, action: Callable) -> None:
        from matplotlib.widgets import Button

        button = Button(self.figure.add_axes((0.88, 0.02, 0.1, 0.05)), label)
        button.on_clicked(action)
        self._widgets.append(button)

    def playback(self, block: bool = True) -> Any:
        """Show a slider over all moments, when no more are to come; return it."""
        from matplotlib.widgets import Slider

        slider = Slider(
            self.figure.add_axes((0.12, 0.02, 0.65, 0.04)), "moment", 0, len(self.moments) - 1, valinit=0, valstep=1
        )
        slider.on_changed(lambda index: (self.draw(int(index)), self.figure.canvas.draw_idle()))
        self._widgets.append(slider)
        self.draw(0)
        self._plt.show(block=block)
        return slider

    def write_video(self, path: Path | str, fps: float) -> None:
        """Write all moments as a film (.mp4, .gif), one frame each."""
        with film_writer(path, fps, macro_block_size=1) as append:
            for index in range(len(self.moments)):
                self.draw(index)
                self.figure.canvas.draw()
                append(np.asarray(self.figure.canvas.buffer_rgba())[..., :3])

    def close(self) -> None:
        """Close the figure."""
        self._plt.close(self.figure)
