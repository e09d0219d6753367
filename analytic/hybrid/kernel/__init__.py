"""The compiled core of the engine: the loader executes these files again for each model.

Reading order: `codes` (meaning of the integers), `free` (supplied by the model), `sums` and `method` (supplied by the
method), `stages` and `steps` (one accepted step), `dense` (its polynomial), `enclose` (intervals that hold the guards
on it), `motion` and `guards` (which are armed), `clear` (which cannot be zero in the step), `windows` and `scan` (where
a guard changes sign; `samples`, if it has no enclosure), `locate` and `place` (exactly where; `confirm`, for a stiff
method), `search` (the first of all guards), `timed` (events at known times), `events` and `log` (its effect),
`accumulation` (Zeno and chattering), `flow` (the main loop).

Every function takes the workspace `w`, one record per run (see `hybrid/workspace.py`), and returns nothing or a number.
The same source runs compiled (numba, `w` a structured record) and interpreted (`w` a plain object), bitwise identical.
"""
