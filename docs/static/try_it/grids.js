// Stored results: a grid's axes, its points, and what lies between an orbit's heights.
globalThis.tryIt ??= {};

tryIt.array = (text, Type) => new Type(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);

// The row of a grid's point, from the index along each axis; the last axis is the fastest.
tryIt.row = (axes, at) => Object.keys(axes).reduce((row, name) => row * axes[name].length + at[name], 0);

tryIt.runner = (stored) => {
  const { axes, heights: n } = stored;
  const [low, high, orbits] = ["low", "high", "orbits"].map((name) => tryIt.array(stored[name], Float32Array));
  const [maps, first] = ["maps", "first"].map((name) => tryIt.array(stored[name], Uint16Array));
  const lasted = tryIt.array(stored.lasted, Uint8Array);
  const paths = tryIt.array(stored.paths, Int16Array);
  const falls = 65535;

  // Heights of apexes are spaced as squares, for the map is smooth in the root of the height above the lowest.
  const height = (row, s) => low[row] + (high[row] - low[row]) * (s / (n - 1)) ** 2;
  const image = (row, i) => (maps[row * n + i] === falls ? NaN : (maps[row * n + i] / (falls - 1)) * high[row]);

  // The next apex's height between those stored: by a cubic, or a line beside falls; NaN where a neighbour falls.
  const next = (row, y) => {
    const s = Math.sqrt((y - low[row]) / (high[row] - low[row])) * (n - 1);
    if (!(s >= 0 && s <= n - 1)) return NaN;
    const i = Math.min(Math.floor(s), n - 2), u = s - i;
    const [a, b, c, d] = [-1, 0, 1, 2].map((k) => (i + k < 0 || i + k > n - 1 ? NaN : image(row, i + k)));
    if (Number.isNaN(a + d)) return b + u * (c - b);
    return b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)));
  };
  const orbit = (row, k) => {
    const at = first[row] + k, [y, multiplier, period, foot, lands, leaves, step] = orbits.subarray(7 * at, 7 * at + 7);
    const path = paths.subarray(2 * stored.shown * at, 2 * stored.shown * (at + 1));
    return { y, multiplier, period, foot, lands, leaves, step, path };
  };
  const orbitsOf = (row) => Array.from({ length: first[row + 1] - first[row] }, (_, k) => orbit(row, k));
  return {
    axes, n, height, image, next, orbitsOf,
    low: (row) => low[row], high: (row) => high[row], lasted: (row, i) => lasted[row * n + i], strides: stored.strides,
    stable: (row) => orbitsOf(row).find((found) => Math.abs(found.multiplier) < 1),
  };
};
