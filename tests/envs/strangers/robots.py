"""Small robots of five kinds, and thirty and more with one odd feature of public files each; none is a public file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

CORNERS = {"FL": (0.15, 0.1), "FR": (0.15, -0.1), "RL": (-0.15, 0.1), "RR": (-0.15, -0.1)}
SIX = CORNERS | {"ML": (0.0, 0.13), "MR": (0.0, -0.13)}
TWO = {"L": (0.0, 0.06), "R": (0.0, -0.06)}
FEET = {
    "sphere": '<geom name="{0}" type="sphere" size="0.02" pos="0 0 -0.15" mass="0.03"/>',
    "capsule": '<geom name="{0}" type="capsule" fromto="0 0 0 0 0 -0.15" size="0.015" mass="0.05"/>',
    "box": '<geom name="{0}" type="box" size="0.08 0.03 0.01" pos="0.01 0 -0.15" mass="0.1"/>',
}


def legs(places: dict[str, tuple[float, float]], foot: str, bend: float) -> str:
    """Return legs of hip and knee, both about y, whose feet are below the hips at joint angles of zero."""
    text = ""
    for name, (x, y) in places.items():
        text += f"""
      <body name="{name}_thigh" pos="{x} {y} 0" euler="0 {bend} 0">
        <joint name="{name}_hip" axis="0 1 0" range="-60 60"/>
        <geom name="{name}_upper" type="capsule" fromto="0 0 0 0 0 -0.15" size="0.015" mass="0.1"/>
        <body name="{name}_shank" pos="0 0 -0.15" euler="0 {-2 * bend} 0">
          <joint name="{name}_knee" axis="0 1 0" range="-70 70"/>
          {FEET[foot].format(name)}
        </body>
      </body>"""
    return text


def robot(places=CORNERS, foot="sphere", bend=25.0, height=0.3) -> str:
    """Return the MJCF of a robot that stands on its servos."""
    motors = "".join(
        f'<position name="{name}_{joint}" joint="{name}_{joint}" kp="60" kv="2" ctrlrange="-1 1"/>'
        for name in places
        for joint in ("hip", "knee")
    )
    return f"""<mujoco model="stranger">
  <default><geom contype="1" conaffinity="1"/><joint damping="0.2" armature="0.01"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" conaffinity="1" contype="1"/>
    <body name="trunk" pos="0 0 {height}">
      <freejoint name="root"/>
      <geom name="hull" type="box" size="0.17 0.07 0.03" mass="2"/>{legs(places, foot, bend)}
    </body>
  </worldbody>
  <actuator>{motors}</actuator>
</mujoco>"""


QUADRUPED, HEXAPOD, ANT = robot(), robot(SIX), robot(foot="capsule")
BIPED, FLAT = robot(TWO, "box", 0.0), robot(foot="box", bend=0.0)
FOUR = tuple(CORNERS)


def skirt(half: float) -> str:
    """Return the free joint and a part that is only seen, of a half height [m]."""
    size = f'type="cylinder" size="0.2 {half}" mass="0" group="2"'
    return f'<freejoint name="root"/><geom name="skirt" {size} contype="0" conaffinity="0"/>'


@dataclass(frozen=True)
class Stranger:
    """A file with one odd feature, and what is said of it.

    Attributes:
        text: The MJCF.
        feet: Names.
        says: What a warning of the registration matches; empty if none is given.
        refused: What the refusal matches, instead.
        options: Of the registration.
    """

    text: str
    feet: tuple[str, ...] = FOUR
    says: str = ""
    refused: str = ""
    options: dict = field(default_factory=dict)


def top(text: str, more: str) -> str:
    """Return a file with more at its beginning."""
    return text.replace("  <default>", f"  {more}\n  <default>", 1)


def end(text: str, more: str) -> str:
    """Return a file with more at its end."""
    return text.replace("</mujoco>", f"{more}</mujoco>")


def world(text: str, more: str) -> str:
    """Return a file with more in its world, before the robot."""
    return text.replace('    <body name="trunk"', f'    {more}\n    <body name="trunk"', 1)


def turned(quat: str, key: str = "") -> str:
    """Return a robot whose root's frame is turned in the file, or in its keyframe, and its parts are not.

    A frame of the opposite rotation around all that is in the root leaves the parts where they were.
    """
    w, *xyz = (float(number) for number in quat.split())
    back = " ".join(map(str, (w, *(-number for number in xyz))))
    text = QUADRUPED.replace('<freejoint name="root"/>', f'<freejoint name="root"/><frame quat="{back}">')
    text = text.replace("    </body>\n  </worldbody>", "    </frame></body>\n  </worldbody>")
    if key:
        zeros = " ".join("0" * 8)
        return end(text, f'<keyframe><key name="home" qpos="0 0 0.3 {key} {zeros}"/></keyframe>')
    return text.replace('<body name="trunk" pos="0 0 0.3"', f'<body name="trunk" pos="0 0 0.3" quat="{quat}"')


HALF = "0.7071067811865476"
X, Y, Z = (" ".join([HALF, *(HALF if k == axis else "0" for k in range(3))]) for axis in range(3))
MOTORS = re.sub(r'<position ([^>]*) kp="60" kv="2"', r"<motor \1", QUADRUPED)
FLOOR = '<geom name="floor" type="plane" size="5 5 0.1" conaffinity="1" contype="1"/>'
NO_FLOOR = QUADRUPED.replace(FLOOR, "")
PAIRED = QUADRUPED.replace('contype="1" conaffinity="1"', 'contype="0" conaffinity="0"')
PAIRS = "<contact>" + "".join(f'<pair geom1="floor" geom2="{foot}" condim="3"/>' for foot in FOUR) + "</contact>"
FREE = '<freejoint name="root"/>'

STRANGERS = {
    "quadruped": Stranger(QUADRUPED),
    "hexapod": Stranger(HEXAPOD, tuple(SIX)),
    "biped on boxes": Stranger(BIPED, tuple(TWO)),
    "shanks are feet": Stranger(ANT),
    "flat feet": Stranger(FLAT),
    "MJX's iterations": Stranger(
        top(QUADRUPED, '<option iterations="1" ls_iterations="5"/>'), says="iterations 1 by 100, ls_iterations 5 by 50"
    ),
    "flag": Stranger(top(QUADRUPED, '<option><flag contact="disable"/></option>'), says="flag contact disable by en"),
    "override": Stranger(
        top(QUADRUPED, '<option o_solref="0.002 1"><flag override="enable"/></option>'), says="o_solref 0.002 1 by"
    ),
    "wind": Stranger(top(QUADRUPED, '<option wind="5 0 0" density="1.2"/>'), says="density 1.2 by 0.*wind 5 0 0"),
    "groups off": Stranger(top(QUADRUPED, '<option actuatorgroupdisable="0"/>'), says="actuatorgroupdisable"),
    "sideways gravity": Stranger(top(QUADRUPED, '<option gravity="3 0 -9"/>'), says="gravity 3 0 -9 by 0 0 -9.81"),
    "little memory": Stranger(top(QUADRUPED, '<size memory="2K"/>'), says="memory 2048 by"),
    "affinity only": Stranger(QUADRUPED.replace('contype="1" conaffinity="1"', 'contype="0" conaffinity="1"')),
    "high bits": Stranger(
        QUADRUPED.replace('contype="1" conaffinity="1"', 'contype="6" conaffinity="4"').replace(
            'conaffinity="1" contype="1"', 'conaffinity="2" contype="0"'
        )
    ),
    "pairs alone": Stranger(end(PAIRED, PAIRS), says="pairs with the floor .*FL"),
    "no contact": Stranger(PAIRED, says="could not touch the file's floor"),
    "pair of feet": Stranger(end(QUADRUPED, '<contact><pair geom1="FL" geom2="FR"/></contact>')),
    "pair of nothing": Stranger(
        end(QUADRUPED, '<contact><pair geom1="FL" geom2="FX"/></contact>'), refused="cannot compile the MJCF.*FX"
    ),
    "exclude": Stranger(end(QUADRUPED, '<contact><exclude body1="trunk" body2="FL_thigh"/></contact>')),
    "excluded foot": Stranger(
        end(QUADRUPED, '<contact><exclude body1="world" body2="FL_shank"/></contact>'), refused="keeps the foot 'FL'"
    ),
    "sensors": Stranger(end(QUADRUPED, '<sensor><contact geom1="floor" geom2="FL" data="found"/></sensor>')),
    "tuple": Stranger(
        end(QUADRUPED, '<custom><tuple name="t"><element objtype="geom" objname="floor"/></tuple></custom>')
    ),
    "root about x": Stranger(turned(X)),
    "root about y": Stranger(turned(Y)),
    "root about z": Stranger(turned(Z), says="turned by 90 deg about the vertical"),
    "keyframe about x": Stranger(turned(X, key=X)),
    "torques": Stranger(MOTORS, says="8 torque motors became servos with kp 8.7"),
    "torques as they are": Stranger(MOTORS, says="does not stand: after .* s collapsed", options={"servo": "file"}),
    "no actuators": Stranger(re.sub("<actuator>.*</actuator>", "", QUADRUPED), says="8 joints got servos with kp 8.7"),
    "floor in a body": Stranger(world(NO_FLOOR, f'<body name="hall"><body name="room">{FLOOR}</body></body>')),
    "floor without a name": Stranger(QUADRUPED.replace('name="floor" ', "")),
    "floor that is a box": Stranger(
        world(NO_FLOOR, '<geom name="slab" type="box" size="4 4 0.1" pos="0 0 -0.1"/>'), says="left out: slab"
    ),
    "no floor": Stranger(NO_FLOOR),
    "visual geoms": Stranger(
        QUADRUPED.replace(
            FREE, skirt(0.2)
        )
    ),
    "visual geoms below": Stranger(
        QUADRUPED.replace(
            FREE, skirt(0.4)
        ),
        says="below the ground: skirt by .* mm, which cannot touch it",
    ),
    "radians": Stranger(
        top(robot(bend=0.4363).replace("60 60", "1 1").replace("70 70", "1.2 1.2"), '<compiler angle="radian"/>')
    ),
    "Euler sequence": Stranger(top(QUADRUPED, '<compiler eulerseq="zyx"/>')),
    "classes": Stranger(
        QUADRUPED.replace(
            "</default>", '<default class="odd"><geom friction="0 0 0" condim="1"/></default></default>'
        ).replace('<body name="trunk"', '<body name="trunk" childclass="odd"'),
        says="condim of the feet 1 by 3",
    ),
    "tendon": Stranger(
        end(QUADRUPED, '<tendon><fixed name="t" stiffness="1"><joint joint="FL_hip" coef="1"/></fixed></tendon>')
    ),
    "tendon around a foot": Stranger(
        end(
            QUADRUPED.replace(FREE, f'{FREE}<site name="a"/><site name="b" pos="0 0 0.1"/>'),
            '<tendon><spatial name="t"><site site="a"/><geom geom="FL"/><site site="b"/></spatial></tendon>',
        ),
        refused="names a geom or site that is called otherwise here.*FL",
    ),
    "joints tied": Stranger(end(QUADRUPED, '<equality><joint joint1="FL_hip" joint2="FR_hip"/></equality>')),
    "hung up": Stranger(
        end(QUADRUPED, '<equality><weld body1="trunk" body2="world"/></equality>'),
        says="carry .* of the weight.*equality",
    ),
    "gravity compensated": Stranger(
        QUADRUPED.replace('<body name="trunk"', '<body name="trunk" gravcomp="1"'), says="gravcomp carries trunk"
    ),
    "nested frame": Stranger(
        QUADRUPED.replace('<body name="trunk"', f'<frame quat="{Z}"><body name="trunk"').replace(
            "    </body>\n  </worldbody>", "    </body></frame>\n  </worldbody>"
        ),
        says="turned by 90 deg about the vertical",
    ),
    "mocap": Stranger(world(QUADRUPED, '<body name="goal" mocap="true" pos="2 0 0.5"><geom size="0.05"/></body>')),
    "a ball beside it": Stranger(
        QUADRUPED.replace(
            "  </worldbody>", '<body name="ball" pos="1 0 0.1"><freejoint/><geom size="0.1"/></body>\n  </worldbody>'
        ),
        says="are no part of the robot are left out: ball",
    ),
    "a door beside it": Stranger(
        QUADRUPED.replace(
            "  </worldbody>", '<body name="door" pos="2 0 1"><joint name="d"/><geom size="0.1"/></body>\n  </worldbody>'
        ),
        says="bodies that are no part of the robot move: door",
    ),
    "contact softened": Stranger(
        QUADRUPED.replace('contype="1"', 'solref="0.2 1" solimp="0.1 0.2 0.01" margin="0.01" gap="0.005" contype="1"'),
        says="margin of the feet 0.01 by 0.*solref of the feet 0.2 1 by",
    ),
    "light joints": Stranger(QUADRUPED.replace('armature="0.01"', 'armature="0"')),
    "explosive": Stranger(
        QUADRUPED.replace('armature="0.01"', 'armature="0"').replace('kp="60" kv="2"', 'kp="-1e7" kv="0"'),
        refused="diverges at an action of 0 after .* s: .*the joint '.*armature",
    ),
    "missing mesh": Stranger(
        top(QUADRUPED, '<asset><mesh name="m" file="none.stl"/></asset>'), says="files that are absent are not drawn: m"
    ),
    "knees are feet": Stranger(
        QUADRUPED, tuple(f"{name}_upper" for name in FOUR), says="below the ground: .*FL.*touches it"
    ),
    "text before the file": Stranger("a robot\n" + QUADRUPED),
}  # fmt: skip
