"""Where compiled code is kept between runs."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder(name: str, preferred: str = "") -> Path:
    """Return the folder of that name for compiled code, the first that can be made and written to.

    In `preferred` if given, else in $TARSUS_CACHE_DIR, else in the user's cache folder, else in a temporary one.
    """
    candidates = [preferred, os.environ.get("TARSUS_CACHE_DIR")]
    candidates.append(os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tarsus"))
    user = os.getuid() if hasattr(os, "getuid") else "user"
    candidates.append(os.path.join(tempfile.gettempdir(), f"tarsus-{user}"))
    for candidate in filter(None, candidates):
        folder = Path(candidate) / name
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="tarsus-"))
