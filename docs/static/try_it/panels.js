// The four panels of docs/try_it.md.
(() => {
  const { make, slider, canvas, line, dot, arrow, text, told } = tryIt;
  const place = (id, ...children) => document.getElementById(id).replaceChildren(...children);
  const digits = (value, n = 3) => Number(value).toPrecision(n);

  const runner = () => {
    const map = tryIt.runner(tryIt.data.runner), { axes } = map;
    const table = make("tbody"), at = {};
    let time = 0, start = 20;
    const units = { stiffness: "kN/m", angle: "° from the vertical", speed: "m/s at an apex of 1 m" };
    const names = { stiffness: "leg stiffness", angle: "leg angle at touchdown", speed: "energy, as speed" };
    const firsts = { stiffness: 20, angle: 23, speed: 5 };
    const sliders = Object.entries(axes).map(([name, values]) => {
      const made = slider(names[name], values, values.indexOf(firsts[name]), (v) => `${v} ${units[name]}`, update);
      at[name] = made;
      return made.box;
    });
    const from = slider("start of the dotted run", [...Array(map.n).keys()], start, (i) => `height ${i + 1} of ${map.n}`, () => update());
    const row = () => tryIt.row(axes, Object.fromEntries(Object.keys(axes).map((name) => [name, at[name].at()])));
    const shown = () => map.stable(row()) ?? map.orbitsOf(row())[0];

    const cobweb = canvas(0.9, "the return map of the apex's height, its fixed points, and a run", (pen, w, h, ink) => {
      const r = row(), low = map.low(r), high = Math.min(map.high(r), low + 0.8), size = Math.min(w, h) - 55;
      const x = (y) => 40 + ((y - low) / (high - low)) * size, y = (v) => h - 35 - ((v - low) / (high - low)) * size;
      const rows = Array.from({ length: map.n }, (_, i) => [map.height(r, i), map.image(r, i)]).filter(([v]) => v <= high);
      rows.forEach(([v], i) => map.lasted(r, i) === map.strides && line(pen, [[x(v), y(low)], [x(v), y(low) + 8]], ink("good"), 4));
      line(pen, [[x(low), y(low)], [x(high), y(high)]], ink("faint"));
      line(pen, rows.filter(([, v]) => v <= high).map(([v, next]) => [x(v), y(next)]), ink("first"), 2.5);
      const run = [];
      for (let v = map.height(r, from.at()), k = 0; k < map.strides && v <= high; k++) {
        const next = map.next(r, v);
        if (!(next <= high)) break;
        run.push([x(v), y(k ? v : low)], [x(v), y(next)], [x(next), y(next)]);
        v = next;
      }
      pen.setLineDash([3, 3]);
      line(pen, run, ink("second"));
      pen.setLineDash([]);
      map.orbitsOf(r).forEach((found) => found.y <= high && dot(pen, [x(found.y), y(found.y)], 5, ink("ink"), Math.abs(found.multiplier) >= 1));
      text(pen, `apex now, ${digits(low)} to ${digits(high)} m`, x(low), h - 12, ink("ink"));
      pen.save();
      pen.rotate(-Math.PI / 2);
      text(pen, "next apex", -y(low), 20, ink("ink"));
      pen.restore();
    });

    const where = canvas(0.9, "where running is stable, over stiffness and angle", (pen, w, h, ink) => {
      const [nx, ny] = [axes.angle.length, axes.stiffness.length], size = [(w - 50) / nx, (h - 50) / ny];
      axes.stiffness.forEach((_, j) => axes.angle.forEach((_, i) => {
        const found = map.stable(tryIt.row(axes, { stiffness: j, angle: i, speed: at.speed.at() }));
        pen.fillStyle = ink(found ? "good" : "field");
        pen.globalAlpha = found ? 1 - 0.8 * Math.abs(found.multiplier) : 1;
        pen.fillRect(45 + i * size[0], 10 + (ny - 1 - j) * size[1], size[0] - 1, size[1] - 1);
        pen.globalAlpha = 1;
      }));
      dot(pen, [45 + (at.angle.at() + 0.5) * size[0], 10 + (ny - 0.5 - at.stiffness.at()) * size[1]], 5, ink("second"), true);
      text(pen, "angle; stable where green: click", 45, h - 20, ink("ink"));
      text(pen, `${axes.stiffness.at(-1)}`, 38, 18, ink("ink"), "right");
      text(pen, `${axes.stiffness[0]}`, 38, h - 48, ink("ink"), "right");
    });
    where.canvas.onclick = ({ offsetX, offsetY }) => {
      const { clientWidth: w, clientHeight: h } = where.canvas, [nx, ny] = [axes.angle.length, axes.stiffness.length];
      const i = Math.floor((offsetX - 45) / ((w - 50) / nx)), j = ny - 1 - Math.floor((offsetY - 10) / ((h - 50) / ny));
      if (i in axes.angle && j in axes.stiffness) {
        at.angle.set(i);
        at.stiffness.set(j);
      }
    };

    const film = canvas(0.3, "the runner on its periodic orbit", (pen, w, h, ink) => {
      const found = shown(), ground = h - 20;
      line(pen, [[0, ground], [w, ground]], ink("faint"));
      if (!found) return text(pen, "no periodic running here", w / 2, h / 2, ink("ink"), "center");
      const strides = Math.floor(time / found.period), t = time - strides * found.period, { path } = found;
      const scale = Math.min(w / 4, (h - 35) / Math.max(1.3, found.y)), s = (t / found.period) * (path.length / 2 - 1);
      const i = Math.min(Math.floor(s), path.length / 2 - 2), u = s - i;
      const [x, y] = [0, 1].map((k) => ((1 - u) * path[2 * i + k] + u * path[2 * i + 2 + k]) / 1000);
      const middle = w / 2, stands = t >= found.lands && t <= found.leaves;
      for (let k = -6; k <= 6; k++) {
        const tick = middle + (k * found.step - x) * scale;
        line(pen, [[tick, ground], [tick - 5, ground + 7]], ink("faint"));
      }
      const angle = (axes.angle[at.angle.at()] * Math.PI) / 180;
      const foot = stands ? [(found.foot - x) * scale, 0] : [Math.sin(angle) * scale, (y - Math.cos(angle)) * scale];
      const hip = [middle, ground - y * scale], toe = [middle + foot[0], ground - foot[1]];
      const across = [hip[1] - toe[1], toe[0] - hip[0]].map((v) => v / Math.hypot(toe[0] - hip[0], toe[1] - hip[1]));
      const zigzag = Array.from({ length: 10 }, (_, k) => [0, 1].map((a) => hip[a] + ((toe[a] - hip[a]) * k) / 9 + (k % 9 ? (k % 2 ? 5 : -5) * across[a] : 0)));
      line(pen, zigzag, ink("first"), 2);
      dot(pen, hip, 9, ink("ink"));
    });

    function update() {
      const r = row(), found = shown(), runs = Array.from({ length: map.n }, (_, i) => i).filter((i) => map.lasted(r, i) === map.strides);
      const size = found && Math.abs(found.multiplier);
      told(table, [
        ["periodic orbit", found ? `apex ${found.y.toFixed(3)} m, ${size < 1 ? "stable" : "unstable"}` : "none"],
        ["multiplier", found ? found.multiplier.toFixed(3) : "–"],
        ["a displacement halves in", size < 1 ? `${digits(Math.log(0.5) / Math.log(size), 2)} strides` : "–"],
        ["stride", found ? `${found.step.toFixed(2)} m in ${found.period.toFixed(3)} s` : "–"],
        [`runs on for ${map.strides} strides`, runs.length ? `from ${map.height(r, runs[0]).toFixed(3)} to ${map.height(r, runs.at(-1)).toFixed(3)} m` : "from no stored height"],
      ]);
      [cobweb, where, film].forEach((drawn) => drawn.again());
    }
    place("try-runner", ...sliders, from.box, film.canvas, make("div", { className: "try-pair" }, cobweb.canvas, where.canvas), make("table", {}, table));
    update();
    tryIt.animate(film.canvas, (passed) => {
      time += passed / 2;
      film.again();
    });
  };

  const feet = () => {
    const { axes, places, table: text64 } = tryIt.data.feet, table = tryIt.array(text64, Float32Array);
    const rows = make("tbody"), at = {};
    const units = { left: "m/s", right: "m/s", load: "m ahead" };
    const names = { left: "body pushes its left feet at", right: "and its right feet at", load: "weight acts" };
    const firsts = { left: 0, right: 9, load: 5 };
    const sliders = Object.entries(axes).map(([name, values]) => {
      at[name] = slider(names[name], values, firsts[name], (v) => `${v.toFixed(2)} ${units[name]}`, update);
      return at[name].box;
    });
    const motion = (law) => {
      const row = tryIt.row(axes, Object.fromEntries(Object.keys(axes).map((name) => [name, at[name].at()])));
      return table.subarray(15 * (2 * row + law), 15 * (2 * row + law + 1));
    };
    const drawings = ["viscous", "Coulomb"].map((name, law) => canvas(0.75, `${name} friction: forces on four feet from above`, (pen, w, h, ink) => {
      const found = motion(law), scale = w * 1.15, force = w / 45, centre = [w / 2, h / 2], load = axes.load[at.load.at()];
      const to = ([x, y]) => [centre[0] + x * scale, centre[1] - y * scale];
      line(pen, [0, 1, 3, 2, 0].map((i) => to(places[i])), ink("faint"), 2);
      dot(pen, to([load, 0]), 4, ink("ink"), true);
      places.forEach((corner, i) => {
        const [fx, fy, fz] = found.subarray(3 + 3 * i, 6 + 3 * i);
        dot(pen, to(corner), 3 + fz, ink("faint"));
        arrow(pen, to(corner), [fx * force, -fy * force], ink("second"));
      });
      arrow(pen, to([load, 0]), [found[0] * scale, -found[1] * scale], ink("first"));
      text(pen, name, 8, 14, ink("ink"));
    }));
    function update() {
      told(rows, ["viscous", "Coulomb"].map((name, law) => {
        const [vx, vy, turn] = motion(law), plain = (v) => (Math.abs(v) < 5e-5 ? 0 : v).toFixed(3);
        return [name, `${plain(vx)} m/s ahead, ${plain(vy)} m/s to the left, turns at ${plain(turn)} rad/s`];
      }));
      drawings.forEach((drawn) => drawn.again());
    }
    place("try-feet", ...sliders, make("div", { className: "try-pair" }, ...drawings.map((drawn) => drawn.canvas)), make("table", {}, rows));
    update();
  };

  const converter = () => {
    const answer = make("pre", { className: "try-answer" }), inputs = {};
    const fields = { mass: ["mass that the contact moves [kg]", 1], timestep: ["timestep [s]", 0.001], stiffness: ["stiffness [N/m]", 2000],
      damping: ["damping [N s/m]", ""], restitution: ["or restitution", 0.5], depth: ["depth at rest [m]", ""], speed: ["at a speed of [m/s]", 1] };
    const update = () => {
      const given = Object.fromEntries(Object.entries(inputs).filter(([, input]) => input.value !== "").map(([name, input]) => [name, +input.value]));
      if ("damping" in given && "restitution" in given) return (answer.textContent = "damping and restitution determine each other: give one of them");
      const found = tryIt.convert(given), six = (values) => values.map((v) => Number(v.toPrecision(6))).join(" ");
      answer.textContent = found.why ?? `solref="${six(found.solref)}" solimp="${six(found.solimp)}"`;
    };
    const boxes = Object.entries(fields).map(([name, [label, value]]) => {
      inputs[name] = make("input", { type: "number", step: "any", value, oninput: update });
      return make("label", { className: "try-field" }, label, inputs[name]);
    });
    place("try-converter", make("div", { className: "try-fields" }, ...boxes), answer);
    update();
  };

  const robots = () => {
    const { begin, fps, shape, edges: text64 } = tryIt.data.robots, edges = tryIt.array(text64, Int16Array);
    const [, n, k] = shape, gap = make("output"), names = ["exact", "MuJoCo"];
    let time = 0, yaw = 0.6, pitch = 0.35;
    const point = (engine, i, edge, end) => edges.subarray(3 * (2 * (k * (n * engine + i) + edge) + end), 3 * (2 * (k * (n * engine + i) + edge) + end) + 3);
    const middle = (engine, i) => [0, 1, 2].map((axis) => {
      let sum = 0;
      for (let edge = 0; edge < 12; edge++) sum += (point(engine, i, edge, 0)[axis] + point(engine, i, edge, 1)[axis]) / 24;
      return sum;
    });
    const view = canvas(0.45, "a dog trots in the exact engine, at the left, and in MuJoCo", (pen, w, h, ink) => {
      const i = Math.floor(time * fps) % n, centre = middle(0, i);
      names.forEach((name, engine) => {
        const project = ([x, y, z]) => {
          const [a, b] = [x - centre[0], y - centre[1]], across = a * Math.cos(yaw) + b * Math.sin(yaw), deep = b * Math.cos(yaw) - a * Math.sin(yaw);
          return [w * (0.25 + 0.5 * engine) + (across * w) / 1250, h * 0.8 - ((z * Math.cos(pitch) + deep * Math.sin(pitch)) * w) / 1250];
        };
        for (let tile = -3; tile <= 3; tile++) {
          const [gx, gy] = [Math.round(centre[0] / 100) * 100 + 100 * tile, 100 * tile];
          line(pen, [project([gx, -300, 0]), project([gx, 300, 0])], ink("faint"), 0.7);
          line(pen, [project([gx - 100 * tile - 300, gy, 0]), project([gx - 100 * tile + 300, gy, 0])], ink("faint"), 0.7);
        }
        for (let edge = 0; edge < k; edge++)
          line(pen, [0, 1].map((end) => project(point(engine, i, edge, end))), ink(edge < 12 ? "ink" : engine ? "second" : "first"), edge < 12 ? 1.5 : 4);
        text(pen, name, w * (0.25 + 0.5 * engine), 14, ink("ink"), "center");
      });
      const other = middle(1, i);
      gap.textContent = `at ${(begin + i / fps).toFixed(2)} s the trunks are ${Math.hypot(...centre.map((v, axis) => v - other[axis])).toFixed(1)} mm apart`;
    });
    view.canvas.classList.add("try-turns");
    view.canvas.onpointerdown = (event) => view.canvas.setPointerCapture(event.pointerId);
    view.canvas.onpointermove = (event) => {
      if (!event.buttons) return;
      yaw += event.movementX / 100;
      pitch = Math.min(1.5, Math.max(0, pitch + event.movementY / 100));
      view.again();
    };
    place("try-robots", view.canvas, gap);
    view.again();
    tryIt.animate(view.canvas, (passed) => {
      time += passed / 2;
      view.again();
    });
  };

  for (const panel of [runner, feet, converter, robots]) panel();
})();
