"""Speculative contacts of spherical feet with planes in MuJoCo Warp, which refuses MuJoCo's flag for them.

The feet have a gap, so that Warp lists their contacts early. This filter of contacts, a public hook, turns those that
would close within the step into what MuJoCo makes of them, and takes all others in the gap off the list.

MuJoCo gives a foot at distance d > 0 with normal velocity v < 0, d + h v < 0 and speed h > radius a contact at another
distance, r = ((1 - 0.98 t) / h - b') v / k', with t = -d / (v h), or 0 below a micrometre, the damping b = 2 / T and
stiffness k = 1 / (T D)^2 of solref (T, D), f = 1 + h b + h^2 k, b' = (b + h k) / f and k' = k / f. Warp drops contacts
at r >= 0, so its row is written as one at distance zero with the same reference acceleration and regularisation.

That holds for contacts that the step resolves, h^2 k < 1; `warp_refusals` refuses stiffer ones.

Source: found by probing MuJoCo 4.0.0, with which `tests/envs/test_warp_refusals.py` compares it; the row of a contact:
MuJoCo's documentation, "Computation", constraint parameters.
"""

import mujoco_warp as mjw
import warp as wp

vec5 = wp.types.vector(length=5, dtype=float)  # as `solimp` is kept
GAP = 0.02  # how far from the ground a foot is listed [m]: at 5 m/s it goes half as far in a step of 2 ms
TOUCHING = wp.constant(1.0e-6)  # distance from which on a foot may close it within a part of the step [m]
CLOSING = wp.constant(0.98)  # share of the distance that is closed
LEAST_IMPEDANCE = wp.constant(1.0e-4)
MOST_IMPEDANCE = wp.constant(0.9999)
PLANE = wp.constant(int(mjw.GeomType.PLANE))
SPHERE = wp.constant(int(mjw.GeomType.SPHERE))


@wp.func
def speculative_distance(h: float, d: float, v: float, solref: wp.vec2):
    """Return the distance r [m] that MuJoCo gives a foot at distance d [m] with normal velocity v [m/s]."""
    b = 2.0 / solref[0]
    k = 1.0 / (solref[0] * solref[0] * solref[1] * solref[1])
    t = 0.0
    if d > TOUCHING:
        t = -d / (v * h)
    f = 1.0 + h * b + h * h * k
    return ((1.0 - CLOSING * t) / h - (b + h * k) / f) * v * f / k


@wp.func
def impedance(solimp: vec5, r: float):
    """Return the impedance of a contact at distance r [m], as MuJoCo documents `solimp`."""
    least = wp.clamp(solimp[0], LEAST_IMPEDANCE, MOST_IMPEDANCE)
    most = wp.clamp(solimp[1], LEAST_IMPEDANCE, MOST_IMPEDANCE)
    x = wp.abs(r) / wp.max(solimp[2], 1.0e-15)
    y = 1.0
    if x < 1.0:
        if x <= solimp[3]:
            y = wp.pow(x, solimp[4]) / wp.pow(solimp[3], solimp[4] - 1.0)
        else:
            y = 1.0 - wp.pow(1.0 - x, solimp[4]) / wp.pow(1.0 - solimp[3], solimp[4] - 1.0)
    return least + y * (most - least)


@wp.func
def row_at_zero(h: float, r: float, v: float, solref: wp.vec2, solimp: vec5):
    """Return impedance and damping [1/s], normal and frictional, with which a row at distance 0 is one at r."""
    share = impedance(solimp, r)
    most = wp.clamp(solimp[1], LEAST_IMPEDANCE, MOST_IMPEDANCE)
    b = 2.0 / (solref[0] * most)
    k = 1.0 / (solref[0] * solref[0] * solref[1] * solref[1] * most * most)
    f = 1.0 + h * b + h * h * k * share
    acceleration = (-k * share * r - (b + h * k * share) * v) / f  # the reference
    regularisation = wp.max((1.0 - share) / (share * f), (1.0 - MOST_IMPEDANCE) / MOST_IMPEDANCE)
    # A row at zero has only damping: its f follows from the acceleration, and its impedance from the regularisation.
    q = wp.clamp(-h * acceleration / v, 1.0e-6, MOST_IMPEDANCE)
    f_zero = 1.0 / (1.0 - q)
    share_zero = 1.0 / (1.0 + f_zero * regularisation)
    return wp.vec3(share_zero, (f_zero - 1.0) / h * share_zero, b * share_zero)


@wp.kernel(enable_backward=False)
def speculate(
    timestep: wp.array[float],
    n_contacts: wp.array[int],
    most_contacts: int,
    geom_type: wp.array[int],
    geom_size: wp.array2d[wp.vec3],
    geom_bodyid: wp.array[int],
    body_rootid: wp.array[int],
    geom_xpos: wp.array2d[wp.vec3],
    cvel: wp.array2d[wp.spatial_vector],
    subtree_com: wp.array2d[wp.vec3],
    geom: wp.array[wp.vec2i],
    worldid: wp.array[int],
    frame: wp.array[wp.mat33],
    includemargin: wp.array[float],
    dist: wp.array[float],
    pos: wp.array[wp.vec3],
    solref: wp.array[wp.vec2],
    solreffriction: wp.array[wp.vec2],
    solimp: wp.array[vec5],
    kind: wp.array[int],
):
    """Rewrite, or take off the list, each contact in a gap; names are those of Warp's model, data and contacts."""
    c = wp.tid()
    if c >= wp.min(n_contacts[0], most_contacts):
        return
    d = dist[c]
    if d < includemargin[c]:
        return
    ground = geom[c][0]
    foot = geom[c][1]
    w = worldid[c]
    h = timestep[w % timestep.shape[0]]
    normal = wp.vec3(frame[c][0, 0], frame[c][0, 1], frame[c][0, 2])
    body = geom_bodyid[foot]
    arm = geom_xpos[w, foot] - subtree_com[w, body_rootid[body]]
    velocity = wp.spatial_bottom(cvel[w, body]) + wp.cross(wp.spatial_top(cvel[w, body]), arm)
    v = wp.dot(normal, velocity)
    closes = v < 0.0 and d + h * v < 0.0 and wp.length(velocity) * h > geom_size[w % geom_size.shape[0], foot][0]
    if not closes or geom_type[foot] != SPHERE or geom_type[ground] != PLANE:
        kind[c] = 0
        return
    row = row_at_zero(h, speculative_distance(h, d, v, solref[c]), v, solref[c], solimp[c])
    pos[c] = pos[c] + 0.5 * d * normal
    dist[c] = includemargin[c] - 1.0e-9
    solref[c] = wp.vec2(-1.0e-9, -row[1])  # MuJoCo's direct format: minus stiffness, minus damping
    solreffriction[c] = wp.vec2(-1.0e-9, -row[2])
    solimp[c] = vec5(row[0], row[0], solimp[c][2], solimp[c][3], solimp[c][4])


def contact_filter(model: mjw.Model, data: mjw.Data) -> None:
    """Apply `speculate` to all contacts; for `Model.callback.contactfilter`."""
    mjw.com_vel(model, data)
    contact = data.contact
    inputs = [model.opt.timestep, data.nacon, data.naconmax, model.geom_type, model.geom_size, model.geom_bodyid]
    inputs += [model.body_rootid, data.geom_xpos, data.cvel, data.subtree_com, contact.geom, contact.worldid]
    inputs += [contact.frame, contact.includemargin, contact.dist, contact.pos, contact.solref]
    inputs += [contact.solreffriction, contact.solimp, contact.type]
    wp.launch(speculate, dim=data.naconmax, device=data.qpos.device, inputs=inputs)
