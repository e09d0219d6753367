"""Run a machine in both engines from the same start, compare them, and write the page of it.

It is `tarsus run MACHINE --engine both`. Writes into the output folder: exact.nc
and mujoco.nc (the labelled records), both.nc (the two aligned, along the dimension `engine`), report.md with its
pictures, and report.html, which holds everything.
"""

from tarsus.scripts.command import arguments
from tarsus.scripts.library.running import options


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Compare and write; return 0, or 2 for what cannot be run or compared. Without a word, list the machines."""
    made = options.parser("tarsus crossvalidate", __doc__, both=True, first=arguments.first(argv))
    if not arguments.first(argv):
        for name, machine in options.compared().items():
            words = (machine.__doc__ or "").partition("\n")[0]
            print(f"{made.prog} {options.machine_word(name):11}  {words}")
        return 0
    with arguments.read(made, argv) as args:
        experiment, files = options.prepare(made, args)
    from tarsus.scripts.library.comparison import crossvalidate

    return crossvalidate.main(made.prog, options.machine_of(args.machine), experiment, files, args)
