// The energy over the plane: colours, contours, and the valleys in which recalls end.

const CELLS = 72; // of the grid of energies, along each axis
const LEVELS = 8;
const FILLED = 0.35; // the colours fill this part of the energy's range, from the lowest up; recalls end there
const BASIN_WORK = 4e7; // multiplications that colouring the basins may take
const BASIN_STEPS = 300;
const SETTLING_STEPS = 5000;
const SMALLEST_CHANGE = 1e-8;
const SAME_END = 1e-2; // two ends that are nearer than this are one fixed point

/** The states of a grid over the plane, row by row from below; the other axes are those of the cue. */
function gridStates(own, [[left, right], [low, high]], n) {
  return range(n * n).map((k) => {
    const x = own.cue.slice();
    x[own.across] = left + (((k % n) + 0.5) / n) * (right - left);
    x[own.up] = low + ((Math.floor(k / n) + 0.5) / n) * (high - low);
    return x;
  });
}

/** The energies above the lowest, `(n, n)` as one list, and the energies at which contours are drawn. */
function landscapeOf(own, bounds) {
  const memory = memoryOf(own);
  const energies = gridStates(own, bounds, CELLS).map((x) => energyOf(memory, x));
  const lowest = -largest(energies.map((e) => -e));
  const above = energies.map((e) => e - lowest);
  const most = FILLED * largest(above) || 1;
  return { above, levels: range(LEVELS).map((i) => most * ((i + 1) / LEVELS) ** 2) };
}

/** The fixed point that a state runs to. */
function endOf(memory, start, most = BASIN_STEPS) {
  let x = start;
  for (let step = 0; step < most; step++) {
    const after = stepOf(memory, x);
    const change = largestEntry(difference(after, x));
    x = after;
    if (!(change > SMALLEST_CHANGE)) break;
  }
  return x;
}

/** The fixed points that a grid of states runs to, and the number of the fixed point of each state. */
function basinsOf(own, bounds) {
  const memory = memoryOf(own);
  const work = 40 * memory.patterns.length * own.cue.length;
  const n = Math.floor(clamp(Math.sqrt(BASIN_WORK / work / 20), 10, 48));
  const ends = [];
  const numbers = gridStates(own, bounds, n).map((x) => {
    const end = endOf(memory, x);
    const known = ends.findIndex((other) => largestEntry(difference(other, end)) <= SAME_END);
    return known >= 0 ? known : ends.push(end) - 1;
  });
  const settled = ends.map((end) => endOf(memory, nudged(end), SETTLING_STEPS));
  const firstLike = settled.map((end) =>
    settled.findIndex((other) => largestEntry(difference(other, end)) <= SAME_END),
  );
  const kept = [...new Set(firstLike)];
  return { ends: kept.map((i) => settled[i]), numbers: numbers.map((i) => kept.indexOf(firstLike[i])), n };
}

/** A state beside another one: from a saddle it runs on into a valley. */
const nudged = (x) => x.map((value, i) => value + 1e-3 / (i + 1));

/** A picture of n × n coloured cells, as an address for an image. colour(k): [red, green, blue] of cell k from below. */
function cellPicture(n, colour) {
  const canvas = element("canvas", { width: n, height: n });
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(n, n);
  range(n * n).forEach((k) => {
    const at = 4 * ((n - 1 - Math.floor(k / n)) * n + (k % n));
    pixels.data.set([...colour(k), 255], at);
  });
  context.putImageData(pixels, 0, 0);
  return canvas.toDataURL();
}

const mixed = (a, b, share) => a.map((x, i) => Math.round(x + (b[i] - x) * share));

/** The colours of the energy: dark where it is low; with basins, each in the colour of its fixed point. */
function landscapePicture({ above, levels }, basins) {
  if (!basins) return cellPicture(CELLS, (k) => colourOf(Math.max(0, 1 - above[k] / levels.at(-1)), 1));
  const series = seriesColours();
  const ofCell = (k) =>
    basins.numbers[
      Math.floor((Math.floor(k / CELLS) * basins.n) / CELLS) * basins.n + Math.floor(((k % CELLS) * basins.n) / CELLS)
    ];
  return cellPicture(CELLS, (k) =>
    mixed(series[ofCell(k) % series.length], sheetColours().paper, 0.35 + 0.4 * Math.min(above[k] / levels.at(-1), 1)),
  );
}

/** The colours of lines, patterns and basins. */
function seriesColours() {
  const style = getComputedStyle(document.documentElement);
  return range(7).map((i) => rgbOf(style.getPropertyValue(`--series-${i + 1}`).trim()));
}

/** The contours of the levels as one path; at([i, j]) gives the pixels of a place on the grid. */
function contourPath({ above, levels }, at) {
  const parts = [];
  for (let row = 0; row < CELLS - 1; row++) {
    for (let column = 0; column < CELLS - 1; column++) {
      const corners = [
        [column, row],
        [column + 1, row],
        [column + 1, row + 1],
        [column, row + 1],
      ];
      const values = corners.map(([i, j]) => above[j * CELLS + i]);
      for (const level of levels) parts.push(...crossings(corners, values, level, at));
    }
  }
  return parts.join("");
}

/** Where a level crosses the sides of one cell: a line from each crossing to the next. */
function crossings(corners, values, level, at) {
  const points = [];
  for (let side = 0; side < 4; side++) {
    const [a, b] = [values[side], values[(side + 1) % 4]];
    if (a < level === b < level) continue;
    const share = (level - a) / (b - a);
    points.push(added(corners[side], scaled(difference(corners[(side + 1) % 4], corners[side]), share)));
  }
  const text = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  return range(Math.floor(points.length / 2)).map((i) => `M${text(at(points[2 * i]))}L${text(at(points[2 * i + 1]))}`);
}
