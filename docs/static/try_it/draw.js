// What the panels share: sliders, and drawing on a canvas in the page's colours.
globalThis.tryIt ??= {};

tryIt.make = (name, attributes = {}, ...children) => {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
};

// A labelled slider over values; `changed` is called with its index.
tryIt.slider = (label, values, first, show, changed) => {
  const told = tryIt.make("output", { textContent: show(values[first]) });
  const input = tryIt.make("input", { type: "range", min: 0, max: values.length - 1, step: 1, value: first });
  const at = () => {
    told.textContent = show(values[+input.value]);
    input.setAttribute("aria-valuetext", told.textContent);
    return +input.value;
  };
  at();
  input.oninput = () => changed(at());
  const set = (index) => {
    input.value = index;
    changed(at());
  };
  return { box: tryIt.make("label", { className: "try-slider" }, label, input, told), at: () => +input.value, set };
};

// A canvas as wide as its box, drawn again when that changes; `draw` gets a pen in CSS pixels.
tryIt.canvas = (ratio, words, draw) => {
  const canvas = tryIt.make("canvas", { className: "try-canvas" });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", words);
  const again = () => {
    const width = canvas.clientWidth, height = width * ratio, scale = devicePixelRatio || 1;
    if (!width) return;
    if (canvas.width !== Math.round(width * scale)) {
      [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
      canvas.style.height = `${height}px`;
    }
    const pen = canvas.getContext("2d"), style = getComputedStyle(canvas);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "13px sans-serif";
    const ink = (name) => style.getPropertyValue(`--try-${name}`).trim() || style.color;
    draw(pen, width, height, ink);
  };
  new ResizeObserver(again).observe(canvas);
  new MutationObserver(again).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
  return { canvas, again };
};

tryIt.line = (pen, points, colour, width = 1.5) => {
  pen.beginPath();
  points.forEach(([x, y], i) => (i && !Number.isNaN(y) ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  Object.assign(pen, { strokeStyle: colour, lineWidth: width, lineJoin: "round" }).stroke();
};

tryIt.dot = (pen, [x, y], radius, colour, hollow = false) => {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  Object.assign(pen, { fillStyle: colour, strokeStyle: colour, lineWidth: 2 })[hollow ? "stroke" : "fill"]();
};

tryIt.arrow = (pen, [x, y], [dx, dy], colour) => {
  const size = Math.hypot(dx, dy);
  if (size < 1) return;
  const head = Math.min(7, size / 2), [ux, uy] = [dx / size, dy / size], tip = [x + dx, y + dy];
  tryIt.line(pen, [[x, y], tip], colour, 2);
  tryIt.line(pen, [-1, 1].map((side) => [tip[0] - head * (ux + 0.5 * side * uy), tip[1] - head * (uy - 0.5 * side * ux)])
    .toSpliced(1, 0, tip), colour, 2);
};

tryIt.text = (pen, words, x, y, colour, align = "left") => {
  Object.assign(pen, { fillStyle: colour, textAlign: align, textBaseline: "middle" }).fillText(words, x, y);
};

// Rows of a name and a value.
tryIt.told = (box, rows) =>
  box.replaceChildren(...rows.map(([name, value]) => tryIt.make("tr", {}, tryIt.make("th", { textContent: name, scope: "row" }), tryIt.make("td", { textContent: value }))));

// Calls `frame(seconds)` while the panel is seen; nobody's battery pays for one that is not.
tryIt.animate = (box, frame) => {
  let seen = false, last = 0;
  const tick = (now) => {
    if (!seen) return;
    frame(Math.min((now - last) / 1000, 0.1));
    last = now;
    requestAnimationFrame(tick);
  };
  new IntersectionObserver(([entry]) => {
    const begins = entry.isIntersecting && !seen;
    seen = entry.isIntersecting;
    if (begins) requestAnimationFrame((now) => tick((last = now)));
  }).observe(box);
};
