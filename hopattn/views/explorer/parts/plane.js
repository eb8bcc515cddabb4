// The plane of two axes: ticks, marks with names that do not cover each other, and places under the pointer.

/** The room for numbers and names of the axes, in pixels; it grows with the type. */
function margin() {
  const grown = Math.max(1, rem() / 16);
  return { left: 44 * grown, right: 16 * grown, top: 16 * grown, bottom: 40 * grown };
}

/** The numbers of the ticks between two ends: about six, at whole multiples of 1, 2 or 5 times a power of ten. */
function ticks(least, most) {
  const rough = (most - least) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(least / step - 1e-9);
  return range(Math.floor(most / step + 1e-9) - first + 1).map((i) => (first + i) * step);
}

/** The ends of both axes around some places, with room about them, on one scale for both. */
function boundsAround(places, width, height) {
  const spans = [0, 1].map((axis) => {
    const own = places.map((place) => place[axis]).filter(Number.isFinite);
    const [least, most] = [Math.min(0, ...own), Math.max(0, ...own)];
    const room = 0.16 * Math.max(most - least, 0.5);
    return [least - room, most + room];
  });
  const { left, right, top, bottom } = margin();
  const inner = [width - left - right, height - top - bottom];
  const scale = Math.max(...spans.map(([least, most], axis) => (most - least) / inner[axis]));
  return spans.map(([least, most], axis) => {
    const half = (scale * inner[axis]) / 2;
    return [(least + most) / 2 - half, (least + most) / 2 + half];
  });
}

class Plane {
  /** name: for screen readers. moves: the functions of `movable` without placeOf and whereIs. */
  constructor(name, moves) {
    this.layers = Object.fromEntries(
      ["under", "axes", "lines", "marks", "names"].map((key) => [key, shape("g", { class: key })]),
    );
    this.svg = shape("svg", { class: "plane", role: "group", "aria-label": name }, ...Object.values(this.layers));
    this.places = new Map();
    this.bounds = null;
    movable(this.svg, { ...moves, placeOf: (event) => this.placeOf(event), whereIs: (id) => this.places.get(id) });
  }

  /** Take the size of the element; keep the ends of the axes while something is dragged. */
  fit(places, keep) {
    const box = sizeOf(this.svg);
    const size = [Math.max(box.width, 200), Math.max(box.height, 200)].map(Math.round);
    const same = this.size && largestDifference(size, this.size) === 0;
    this.size = size;
    set(this.svg, { viewBox: `0 0 ${size.join(" ")}` });
    if (!(keep && same && this.bounds)) this.bounds = boundsAround(places, ...size);
  }

  /** From a place to pixels of the picture. */
  at([x, y]) {
    const [[left, right], [low, high]] = this.bounds;
    const [width, height] = this.size;
    const room = margin();
    const across = room.left + ((x - left) / (right - left)) * (width - room.left - room.right);
    return [across, height - room.bottom - ((y - low) / (high - low)) * (height - room.top - room.bottom)];
  }

  placeOf(event) {
    const box = this.svg.getBoundingClientRect();
    const [[left, right], [low, high]] = this.bounds;
    const room = margin();
    const x = (event.clientX - box.left - room.left) / (box.width - room.left - room.right);
    const y = (box.bottom - room.bottom - event.clientY) / (box.height - room.top - room.bottom);
    return [left + clamp(x, 0, 1) * (right - left), low + clamp(y, 0, 1) * (high - low)];
  }

  drawAxes([across, up]) {
    const [width, height] = this.size;
    const [x, y] = this.bounds;
    const { left, right, top, bottom } = margin();
    const lines = [
      ...ticks(...x).map((t) => ({
        key: `x${t.toFixed(6)}`,
        from: this.at([t, y[0]]),
        to: this.at([t, y[1]]),
        zero: Math.abs(t) < 1e-9,
        text: shown(t),
        at: [this.at([t, 0])[0], height - 0.55 * bottom],
        anchor: "middle",
      })),
      ...ticks(...y).map((t) => ({
        key: `y${t.toFixed(6)}`,
        from: this.at([x[0], t]),
        to: this.at([x[1], t]),
        zero: Math.abs(t) < 1e-9,
        text: shown(t),
        at: [left - 6, this.at([0, t])[1] + 5],
        anchor: "end",
      })),
    ];
    keyed(
      this.layers.axes,
      [
        ...lines,
        { key: "across", title: across, at: [width - right, height - 4], anchor: "end" },
        { key: "up", title: up, at: [left + 6, top], anchor: "start" },
      ],
      ({ key }) => key,
      ({ title }) =>
        shape(
          "g",
          {},
          ...(title === undefined ? [shape("line")] : []),
          shape("text", { class: title === undefined ? "tick" : "axis" }),
        ),
      (node, { from, to, zero, text, title, at, anchor }) => {
        if (from)
          set(node.firstChild, { x1: from[0], y1: from[1], x2: to[0], y2: to[1], class: zero ? "zero" : "grid" });
        set(node.lastChild, { x: at[0], y: at[1], "text-anchor": anchor });
        setText(node.lastChild, text ?? `${title} ${anchor === "end" ? "→" : "↑"}`);
      },
    );
  }

  /**
   * marks: { id, name, place, kind, label, picked }; `label` is read out, `name` stands beside the mark. obstacles:
   * pixels that names should not cover. notes: { id, name, place, kind }, names without a mark.
   */
  drawMarks(marks, obstacles = [], notes = []) {
    this.places = new Map(marks.map((mark) => [mark.id, mark.place]));
    keyed(
      this.layers.marks,
      marks,
      ({ id }) => id,
      createMark,
      (node, mark) => {
        const [x, y] = this.at(mark.place);
        set(node, {
          transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`,
          class: `mark ${mark.kind}`,
          "aria-label": mark.label,
          "aria-pressed": Boolean(mark.picked),
        });
      },
    );
    this.drawNames([...marks, ...notes], obstacles);
  }

  drawNames(marks, obstacles) {
    const named = marks.filter(({ name }) => name);
    const spots = named.map(({ place }) => this.at(place));
    const boxes = placeNames(
      named.map(({ name }) => textWidth(name)),
      named.map(({ kind }) => kind.includes("query")),
      spots,
      [...spots, ...obstacles],
      this.size,
    );
    keyed(
      this.layers.names,
      named,
      ({ id }) => id,
      () => shape("text", { "aria-hidden": true }),
      (node, mark, i) => {
        const [x, y] = boxes[i] ?? [0, 0];
        set(node, { x, y: y + 0.94 * rem(), class: `name ${mark.kind}` });
        setText(node, boxes[i] ? mark.name : "");
      },
    );
  }
}

function createMark({ id, kind }) {
  const sign = kind.includes("pattern")
    ? shape("path", { class: "dot", d: STAR })
    : shape("circle", { class: "dot", r: 7 });
  return shape(
    "g",
    { "data-id": id, role: "button", tabindex: 0 },
    shape("circle", { class: "reach", r: 22 }),
    shape("circle", { class: "halo", r: 14 }),
    sign,
  );
}

const MOST_COVERED = 30; // square pixels of another name

const STAR = `M${range(10)
  .map((i) => {
    const [angle, r] = [(i * Math.PI) / 5 - Math.PI / 2, i % 2 ? 4.5 : 11];
    return `${(r * Math.cos(angle)).toFixed(2)} ${(r * Math.sin(angle)).toFixed(2)}`;
  })
  .join("L")}Z`;

/** The width of a text beside a mark, in pixels. */
function textWidth(text) {
  const size = rem();
  if (textWidth.size !== size) Object.assign(textWidth, { size, known: new Map() });
  if (!textWidth.known.has(text)) {
    textWidth.context ??= document.createElement("canvas").getContext("2d");
    textWidth.context.font = `600 ${size}px ${getComputedStyle(document.body).fontFamily}`;
    textWidth.known.set(text, textWidth.context.measureText(text).width + 2);
  }
  return textWidth.known.get(text);
}

/** The box of each name: at the first side of its mark where it covers nothing, else the least.
 *  Null where it would cover another name; kept: the names that are never left out. */
function placeNames(widths, kept, spots, obstacles, [width, height]) {
  const taken = obstacles.map(([x, y]) => [x - 8, y - 8, x + 8, y + 8]);
  const names = [];
  const high = 1.25 * rem();
  const floor = height - margin().bottom;
  return widths.map((own, i) => {
    const [x, y] = spots[i];
    const away = Math.max(11, 0.66 * rem());
    const [beside, above, below] = [-high / 2, 2 - high - away, away - 2];
    const sides = [
      [away, beside],
      [-own - away, beside],
      [-own / 2, above],
      [-own / 2, below],
      [away, above],
      [away, below],
      [-own - away, above],
      [-own - away, below],
      [-own / 2, above - high],
      [-own / 2, below + high],
    ];
    const costs = sides.map(([dx, dy], k) => {
      const box = [x + dx, y + dy, x + dx + own, y + dy + high];
      const outside =
        Math.max(0, 2 - box[0]) +
        Math.max(0, box[2] - width + 2) +
        Math.max(0, 2 - box[1]) +
        Math.max(0, box[3] - floor);
      const [covered, hidden] = [taken, names].map((others) => sum(others.map((other) => shared(box, other))));
      return { box, hidden, cost: covered + 3 * hidden + 100 * outside + k / 10 };
    });
    const best = costs.reduce((a, b) => (b.cost < a.cost ? b : a));
    if (best.hidden > MOST_COVERED && !kept[i]) return null;
    names.push(best.box);
    return best.box;
  });
}

/** Points along a line, at most 16 pixels apart, which names should not cover. */
function alongPath(points) {
  return points.slice(1).flatMap((point, i) => {
    const way = difference(point, points[i]);
    const count = Math.ceil(norm(way) / 16);
    return norm(way) < 1e4 ? range(count).map((k) => added(points[i], scaled(way, (k + 1) / count))) : [point];
  });
}

/** The area that two boxes [left, top, right, bottom] have in common. */
function shared(a, b) {
  const across = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const down = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  return across > 0 && down > 0 ? across * down : 0;
}
