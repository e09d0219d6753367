"""The compiled heart of the engine, as readable source: for each model the loader executes these files once more.

Order of reading: `codes` (what the integers mean), `free` (what the model supplies), `sums` and `method` (what the
method supplies), `stages` and `steps` (one accepted Runge-Kutta step), `motion` (guard values and how they move),
`guards` (which are armed), `windows` and `scan` (is there an event in this step?), `locate` and `place` (exactly
where), `search` (the first of all guards), `events` and `log` (what it does), `accumulation` (Zeno and chattering),
`flow` (the loop).

Every function takes the workspace `w`, one record per run (see `hybrid/workspace.py`), and returns nothing or a number.
The same source runs compiled (numba, `w` a structured record) and interpreted (`w` a plain object), bit for bit.
"""
