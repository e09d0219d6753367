"""The hopping leg on a command line: its motors, what it is told to do, and the ground."""

from __future__ import annotations

import argparse

from tarsus.scripts import arguments


def add_leg_options(parser: argparse.ArgumentParser) -> None:
    """Add what `leg_from` reads."""
    parser.add_argument("--speed", type=arguments.number(-100, 100), default=0.5, help="commanded speed [m/s]")
    parser.add_argument(
        "--height", type=arguments.positive, default=0.40, help="commanded height of the hip at the apex [m]"
    )
    parser.add_argument("--isMotorDynamics", action="store_true", help="rotor inertia and back-EMF damping")
    parser.add_argument(
        "--isControlSaturate", action="store_true", help="with the former: a torque-speed limit instead"
    )
    parser.add_argument("--terrain", nargs="+", default=["flat"], metavar=("NAME", "NUMBER"), help="e.g. step 0.03 0.3")


def leg_from(args: argparse.Namespace) -> tuple:
    """Return the parameters of the leg, the gains and the ground that a command line asks for.

    Raises:
        ValueError: If that is impossible.
    """
    from tarsus.analytic.models.hopping_leg import HoppingLegParams, motor_mode
    from tarsus.analytic.models.hopping_leg_laws import RaibertGains

    mode = motor_mode(args.isMotorDynamics, args.isControlSaturate)
    gains = RaibertGains(speed=args.speed, height=args.height)
    return HoppingLegParams(motor_mode=mode), gains, arguments.terrain(args.terrain)
