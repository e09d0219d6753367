"""The compiled core of the engine: the loader executes these files again for each model.

Reading order: `codes` (meaning of the integers), `free` (supplied by the model), `sums` and `method` (supplied by the
method), `stages` and `steps` (one accepted Runge-Kutta step), `motion` (guard values and their rates), `guards` (which
are armed), `windows` and `scan` (is there an event in this step?), `locate` and `place` (exactly where), `search` (the
first of all guards), `events` and `log` (its effect), `accumulation` (Zeno and chattering), `flow` (the main loop).

Every function takes the workspace `w`, one record per run (see `hybrid/workspace.py`), and returns nothing or a number.
The same source runs compiled (numba, `w` a structured record) and interpreted (`w` a plain object), bitwise identical.
"""
