"""Designs by the exact engine's derivatives: a runner's spring, and the hexapod's gait.

Usage: python -m tarsus.design
"""

import sys

from .scripts.library.search.design import FastGait, Spring, confirm, fastest, main, moves

__all__ = ["FastGait", "Spring", "confirm", "fastest", "moves"]

if __name__ == "__main__":
    sys.exit(main())
