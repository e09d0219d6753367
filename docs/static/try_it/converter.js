// The arithmetic of mjcf/contact_converter.py and of what it needs of mjcf/contact_law.py; a test compares them.
globalThis.tryIt ??= {};

(() => {
  const IMPEDANCE = [1e-4, 0.9999], PHASES = 16, LONGEST = 20000, RESTS = 1e-3, WITHIN = 0.015, STEPS = 16;

  // A contact of constant impedance d and direct solref: a spring K and a damper B of the distance, and their share s.
  const law = (timestep, d, stiffness, damping, discrete) => {
    const share = d, h = timestep;
    const K = stiffness / d ** 2, B = damping / d, stiff = K * d, rest = (1 - d) / d;
    const q = discrete ? 1 + h * B + h * h * stiff : 1;
    const acceleration = (r, v, free) => {
      if (!(r < 0)) return free;
      const reference = discrete ? (-B * v - stiff * r - h * stiff * v) / q : -B * v - stiff * r;
      return free + Math.max(reference - free, 0) / (1 + rest / q);
    };
    const stable = discrete || (h * share * B < 2 && h * h * share * K * d < 4 - 2 * h * share * B);
    return { timestep, d, share, solref: [-stiffness, -damping], B, K, acceleration, stable };
  };

  // Restitution, its scatter by where within a step the body lands, and duration, of a fall at a speed.
  const drop = (contact, speed, gravity) => {
    const h = contact.timestep, found = [];
    let duration = 0;
    for (let phase = 0; phase < PHASES; phase++) {
      let r = ((phase + 0.5) / PHASES) * speed * h, v = -speed, steps = 0, rises = false, rests = false, moves = true;
      const before = speed ** 2 + 2 * gravity * r;
      for (let i = 0; i < LONGEST; i++) {
        const pushed = contact.acceleration(r, v, -gravity) > -gravity;
        moves = moves && (pushed || steps === 0) && !rests;
        if (!moves) break;
        steps += pushed;
        v += h * contact.acceleration(r, v, -gravity);
        r += h * v;
        rises ||= v > RESTS * speed;
        rests ||= rises && v < RESTS * speed && pushed;
      }
      found.push(moves || rests || v <= 0 ? 0 : Math.sqrt(Math.max(v * v + 2 * gravity * r, 0) / before));
      duration += (steps * h) / PHASES;
    }
    const restitution = found.reduce((a, b) => a + b) / PHASES;
    return { restitution, duration, scatter: Math.max(...found.map((e) => Math.abs(e - restitution))) };
  };

  const closedForm = (ratio) => {
    if (ratio >= 1) return Math.exp(-2);
    return Math.exp((-ratio / Math.sqrt(1 - ratio ** 2)) * (Math.PI - 2 * Math.asin(ratio)));
  };

  // Where a falling function crosses zero.
  const bisect = (f, low, high) => {
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      [low, high] = f(middle) > 0 ? [middle, high] : [low, middle];
    }
    return (low + high) / 2;
  };

  const bouncing = (make, restitution, stiffness, speed, gravity) => {
    const withRatio = (ratio) => make(stiffness, 2 * ratio * Math.sqrt(stiffness));
    const excess = (ratio) => {
      const made = withRatio(ratio);
      return (made.stable ? drop(made, speed, gravity).restitution : 0) - restitution;
    };
    const near = restitution > closedForm(1) ? bisect((ratio) => closedForm(ratio) - restitution, 0, 1) : 1;
    let low = 0.5 * near, high = Math.min(1.5 * near, near + 0.1);
    if (!(excess(low) > 0)) low = 0;
    if (!(excess(high) < 0)) high = 2;
    if (excess(low) < 0 || excess(high) > 0) return withRatio(near);
    return withRatio(bisect(excess, low, high));
  };

  // Why a contact has not a restitution; "" if it has.
  const excuse = (made, restitution, speed, gravity) => {
    const found = drop(made, speed, gravity);
    if (Math.abs(found.restitution / restitution - 1) > 2e-3)
      return `it bounces by ${found.restitution.toPrecision(3)} at ${speed} m/s; gravity or the timestep takes the rest`;
    if (found.scatter > WITHIN * restitution)
      return `the contact lasts ${(found.duration / made.timestep).toFixed(1)} steps, and where within a step it begins ` +
        `changes restitution by ${((100 * found.scatter) / restitution).toPrecision(2)} %; ` +
        "take shorter steps or less stiffness";
    return "";
  };

  // solref and solimp of a body of a mass, or the reason why there are none. Without a stiffness, as stiff as restitution allows.
  tryIt.convert = ({ mass, timestep, stiffness, damping, restitution, depth, speed = 1, gravity = 9.81, discrete = false }) => {
    const refuse = (why) => ({ why });
    const given = { mass, timestep, stiffness, depth, speed, gravity };
    for (const [name, value] of Object.entries(given))
      if (value !== undefined && !(value > 0 && value < Infinity)) return refuse(`${name} must be positive and finite`);
    if (restitution !== undefined && !(restitution >= 0.1 && restitution <= 0.99))
      return refuse("restitution must be from 0.1 to 0.99; below, damp critically");
    if (damping !== undefined && !(damping >= 0 && damping < Infinity)) return refuse("damping must not be negative");
    if (stiffness === undefined && depth === undefined && restitution === undefined)
      return refuse("a contact is made from a stiffness, a depth at rest or a restitution");
    const load = mass * gravity;
    const d = stiffness === undefined || depth === undefined ? 0.95 : 1 - (stiffness * depth) / load;
    if (!(d >= IMPEDANCE[0] && d <= IMPEDANCE[1])) {
      const [most, least] = IMPEDANCE.map((s) => (((1 - s) * load) / stiffness).toPrecision(3));
      return refuse(`depth must be from ${least} to ${most} m for this stiffness and weight`);
    }
    const make = (k, b) => law(timestep, d, k, b, discrete);
    const answer = (made) => ({ solref: made.solref, solimp: [d, d, 1e-3, 0.5, 2] });
    if (stiffness === undefined && depth === undefined) {
      let k = (Math.PI / (STEPS * timestep)) ** 2, why = "in as many steps as it takes, gravity stops the body";
      for (; Math.PI / Math.sqrt(k) < (2 * speed) / gravity; k /= 2) {
        const made = bouncing(make, restitution, k, speed, gravity);
        why = excuse(made, restitution, speed, gravity);
        if (!why) return answer(made);
      }
      return refuse(`no contact bounces by ${restitution} at ${speed} m/s: ${why}`);
    }
    const k = (stiffness ?? ((1 - d) * load) / depth) / mass;
    if (restitution !== undefined) {
      const made = bouncing(make, restitution, k, speed, gravity);
      const why = excuse(made, restitution, speed, gravity);
      return why ? refuse(`no contact of this stiffness bounces by ${restitution}: ${why}`) : answer(made);
    }
    const made = make(k, (damping ?? 0) / mass);
    if (made.stable) return answer(made);
    const damp = made.share * made.B, stiff = made.share * made.K * d;
    const longest = (Math.sqrt(damp ** 2 + 4 * stiff) - damp) / stiff;
    return refuse(`timestep is too long for this spring and damper: it must be under ${longest.toPrecision(3)} s, ` +
      "or the integrator discrete");
  };
})();
