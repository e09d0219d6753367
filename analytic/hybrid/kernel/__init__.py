"""The compiled heart of the engine, as readable source: the loader joins these files into one module per model.

Order of reading: `codes` (what the integers mean), `free` (what the model supplies), `stages` and `steps` (one accepted
Runge-Kutta step), `guards` (values, rates, which guards are armed), `scan` (is there an event in this step?), `locate`
(exactly where), `events` (what it does), `accumulation` (Zeno and chattering), `flow` (the loop).

Every function takes the workspace `w`, one record per run (see `hybrid/workspace.py`), and returns nothing or a number.
The same text runs compiled (numba, `w` a structured record) and interpreted (`w` a plain object), bit for bit.
"""
