"""MuJoCo's log: its warnings stand on the terminal, and no longer in a file MUJOCO_LOG.TXT in whoever's folder.

Errors are Python's exceptions, as ever. A program that wants the file gives it a name of its own, before or after this
package is imported: `config = mujoco.MjLogConfig.get(); config.logfile = "mine.txt"; config.set()`, with `logto_file`.
"""

import mujoco

DEFAULT = "MUJOCO_LOG.TXT"


def write_no_file() -> None:
    """Have MuJoCo write no log file in the working folder; one of another name is somebody's choice, and stays."""
    config = mujoco.MjLogConfig.get()
    if config.logto_file and config.logfile == DEFAULT:
        config.logto_file = False
        config.set()
