"""Walks whose feet slide: recorded in MuJoCo or in a laboratory, and as the contact solver predicts them."""

from .scripts.library.sliding.ailing import Ailment, Observed, watched
from .scripts.library.sliding.ailing import walk as ailing_walk
from .scripts.library.sliding.fitted import Fitted, fit, fitted_feet
from .scripts.library.sliding.fitted import head as fit_head
from .scripts.library.sliding.fitted import rows as fit_rows
from .scripts.library.sliding.prediction import Measured, Predicted, measure, naive_feet, predict
from .scripts.library.sliding.recording import build as build_recording
from .scripts.library.sliding.recording import load as load_recording
from .scripts.library.sliding.recording import save as save_recording
from .scripts.library.sliding.walks import Walk, record

__all__ = [
    "Ailment", "Fitted", "Measured", "Observed", "Predicted", "Walk", "ailing_walk", "build_recording", "fit",
    "fit_head", "fit_rows", "fitted_feet", "load_recording", "measure", "naive_feet", "predict", "record",
    "save_recording", "watched",
]  # fmt: skip
