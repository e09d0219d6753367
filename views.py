"""Looking at a run: pictures and films of a record in MuJoCo's renderer, where there is OpenGL.

`choose_opengl` must be called before anything imports MuJoCo; this module does not.
"""

from .scripts.library.views.rendering import (
    INSTALL_OPENGL,
    NO_OPENGL,
    choose_opengl,
    film,
    film_writer,
    frames,
    qpos_of,
    rows_at,
    smooth_edges,
    write_film,
    write_video,
)

__all__ = [
    "INSTALL_OPENGL", "NO_OPENGL", "choose_opengl", "film", "film_writer", "frames", "qpos_of", "rows_at",
    "smooth_edges", "write_film", "write_video",
]  # fmt: skip
