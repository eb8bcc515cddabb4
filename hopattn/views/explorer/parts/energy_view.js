// The energy view: the landscape over two axes, the path of a cue, one step of attention beside the fixed point.

const CUE = "\u0000cue"; // no pattern has this name
const CUE_NAME = phrase`cue`;

const energyView = {
  name: phrase`Energy`,
  help:
    phrase`Click the plane to drop a cue. ` +
    phrase`Each step of recall is attention over the stored patterns, and runs downhill. Lower β, and the basins merge.`,

  build(root) {
    const own = () => state.energy;
    this.presets = new Presets("energy", phrase`Cues and settings of the scenario`);
    this.tasks = new Tasks("energy");
    this.plane = new Plane(
      phrase`The energy over the plane of two axes. Arrow keys move the cue or a pattern, Enter picks it up.`,
      patternMoves(),
    );
    this.axes = ["across", "up"].map((key, i) =>
      picker(`energy-${key}`, [phrase`Axis across`, phrase`Axis up`][i], (axis) => change("energy", { [key]: axis })),
    );
    const to = (key, value) => change("energy", { [key]: value });
    this.settings = new Controls("energy", ["separation", "beta", "alpha", "n", "basins"], own, to);
    this.others = new Controls("energy", ["temperature", "most"], own, to);
    this.chart = new Chart(phrase`Energy against step`, (time) => change("energy", { time }));
    this.clock = new Clock("energy-time", phrase`Step`, {
      last: () => this.path.length - 1,
      time: () => Math.min(own().time, this.path.length - 1),
      go: (time) => change("energy", { time }),
    });
    this.numbers = new NumberTable(phrase`Cue and patterns as numbers`, (name, axis, x) =>
      setPattern(
        name === CUE_NAME ? CUE : name,
        vectorOfPattern(name === CUE_NAME ? CUE : name).map((v, i) => (i === axis ? (x ?? v) : v)),
      ),
    );
    this.parts = {
      hint: element("p", { class: "hint" }),
      valleys: element("p", { class: "sentence" }),
      table: element("tbody"),
    };
    this.plane.svg.classList.add("over-energy");
    this.image = shape("image", { preserveAspectRatio: "none" });
    this.contours = shape("path", { class: "contour", fill: "none" });
    this.plane.layers.under.append(this.image, this.contours);
    root.append(...this.cards());
  },

  cards() {
    const { hint, valleys, table } = this.parts;
    const headings = ["", phrase`nearest`, phrase`cosine`, phrase`energy`].map((text) => element("th", { scope: "col" }, text));
    const ends = element("table", { class: "ends" }, element("thead", {}, element("tr", {}, ...headings)), table);
    this.settings.root.append(playButton(phrase`Let β fall`, letBetaFall));
    const axes = element("div", { class: "row chosen-axes" }, ...this.axes.map(({ root }) => root));
    const columns = {
      first: [
        mainCard("landscape-card", phrase`Energy landscape`, this.plane.svg, valleys, axes, hint),
        card("time-card", phrase`Energy against step`, this.clock.root, element("div", { class: "fit" }, this.chart.svg)),
      ],
      second: [
        leadCard("energy-settings", this.settings.root),
        this.tasks.root,
        card("ends-card", phrase`One step of attention, and the fixed point`, ends),
        card("energy-more", phrase`More settings`, this.others.root),
        card("energy-numbers", phrase`Cue and patterns as numbers`, this.numbers.root),
      ],
    };
    return [this.presets.root, ...columnsOf(columns)];
  },

  draw(own) {
    const memory = memoryOf(own);
    const { path, energies, status } = recall(memory, own.cue, own.most);
    this.path = path;
    const time = Math.min(own.time, path.length - 1);
    this.presets.draw(own);
    this.axes.forEach(({ draw }, i) => draw(own.axes, [own.across, own.up][i]));
    this.settings.draw();
    this.others.draw();
    this.numbers.draw(own.axes, [[CUE_NAME, own.cue], ...own.patterns]);
    this.drawPlane(own, path, time);
    this.chart.draw({
      series: [{ name: phrase`energy`, values: energies, colour: "var(--plus)" }],
      time,
      across: phrase`step`,
      up: phrase`energy`,
    });
    const word = { converged: phrase`fixed point`, limit: phrase`after ${path.length - 1} steps`, diverged: phrase`grows without bound` }[
      status
    ];
    this.clock.draw(
      time,
      path.length - 1,
      phrase`step ${time} of ${path.length - 1}, energy ${shown(energies[time], 3)} (end: ${word})`,
    );
    this.drawEnds(own, path, energies, word);
    this.tasks.draw(own);
  },

  drawPlane(own, path, time) {
    const place = (x) => [x[own.across], x[own.up]];
    this.plane.fit(
      [...own.patterns.map(([, x]) => place(x)), place(own.cue)].flatMap(([x, y]) => [
        [1.2 * x, 1.2 * y],
        [-1.2 * x, -1.2 * y],
      ]),
      dragging.active || playing,
    );
    this.drawLandscape(own);
    this.plane.drawAxes([own.axes[own.across], own.axes[own.up]]);
    this.drawPath(path.map(place), time);
    const carried = dragging.carried;
    const marks = [
      ...own.patterns.map(([name, x]) => ({ id: name, name, place: place(x), kind: "pattern" })),
      { id: CUE, name: CUE_NAME, place: place(own.cue), kind: "cue query" },
    ];
    this.plane.drawMarks(
      marks.map((mark) => ({
        ...mark,
        kind: `${mark.kind}${carried === mark.id ? " carried" : ""}`,
        picked: carried === mark.id,
        label: `${mark.name}: ${own.axes[own.across]} ${shown(mark.place[0])}, ${own.axes[own.up]} ${shown(mark.place[1])}`,
      })),
      [this.plane.at(place(path.at(-1)))],
    );
    setText(
      this.parts.hint,
      carried
        ? phrase`Tap where “${carried === CUE ? CUE_NAME : carried}” should go, or press Escape.`
        : phrase`Stars: stored patterns. Deep colour: low energy. Small ring: one step (attention). Large ring: the fixed point.`,
    );
  },

  /** The landscape is computed anew only where memory, plane or colours have changed. */
  drawLandscape(own) {
    const { patterns, separation: name, beta, alpha, n, across, up, basins } = own;
    const rest = own.cue.filter((_, i) => i !== across && i !== up);
    const key = JSON.stringify([
      patterns,
      name,
      beta,
      alpha,
      n,
      across,
      up,
      rest,
      basins && !dragging.active,
      this.plane.bounds,
      this.plane.size,
      document.documentElement.dataset.theme,
    ]);
    if (key === this.drawn) return;
    this.drawn = key;
    const { bounds } = this.plane;
    const land = landscapeOf(own, bounds);
    const valleys = dragging.active ? null : basinsOf(own, bounds);
    const [left, top] = this.plane.at([bounds[0][0], bounds[1][1]]);
    const [right, bottom] = this.plane.at([bounds[0][1], bounds[1][0]]);
    set(this.image, {
      href: landscapePicture(land, basins ? valleys : null),
      x: left,
      y: top,
      width: right - left,
      height: bottom - top,
    });
    const at = ([i, j]) => [left + ((i + 0.5) / CELLS) * (right - left), bottom - ((j + 0.5) / CELLS) * (bottom - top)];
    set(this.contours, { d: contourPath(land, at) });
    if (!valleys) return;
    const count = (this.valleys = valleys.ends.length);
    setText(
      this.parts.valleys,
      count === 1
        ? phrase`One valley: from everywhere in the plane, recall ends in the same state.`
        : phrase`${count} valleys: recall from this plane ends in ${count} different states.`,
    );
  },

  drawPath(places, time) {
    const points = places.slice(0, time + 1).map((place) => this.plane.at(place));
    const rings = [
      { key: "attention", point: points[1], r: 6 },
      { key: "end", point: time === places.length - 1 ? points.at(-1) : null, r: 13 },
      { key: "now", point: points.at(-1), r: 4 },
    ].filter(({ point }) => point);
    const line = { key: "way", d: `M${points.map((point) => point.map((x) => x.toFixed(2)).join(" ")).join("L")}` };
    keyed(
      this.plane.layers.lines,
      [{ ...line, key: "edge" }, line, ...rings],
      ({ key }) => key,
      ({ r }) => shape(r ? "circle" : "path", { fill: "none" }),
      (node, { key, d, point, r }) =>
        set(node, r ? { cx: point[0], cy: point[1], r, class: `ring ${key}` } : { d, class: `course ${key}` }),
    );
  },

  drawEnds(own, path, energies, word) {
    const rows = [
      [CUE_NAME, 0],
      [phrase`one step: attention`, Math.min(1, path.length - 1)],
      [word === phrase`fixed point` ? phrase`fixed point: Hopfield` : phrase`end: ${word}`, path.length - 1],
    ];
    const patterns = own.patterns.map(([, x]) => x);
    keyed(
      this.parts.table,
      rows,
      (_, i) => i,
      () => element("tr", {}, element("th", { scope: "row" }), ...range(3).map(() => element("td"))),
      (row, [name, step]) => {
        const { number, cosine } = nearestPattern(patterns, path[step]);
        const cells = [name, number < 0 ? phrase`none` : own.patterns[number][0], shown(cosine, 3), shown(energies[step], 3)];
        cells.forEach((text, i) => setText(row.children[i], text));
      },
    );
  },

  pictures() {
    return [this.plane.svg, this.chart.svg];
  },
};

const vectorOfPattern = (id) =>
  id === CUE ? state.energy.cue : state.energy.patterns.find(([name]) => name === id)[1];

function setPattern(id, vector) {
  const most = page.controls.sizes.number;
  const kept = vector.map((x) => clamp(x, -most, most));
  if (id === CUE) change("energy", { cue: kept, time: 1000 });
  else change("energy", { patterns: state.energy.patterns.map((pair) => (pair[0] === id ? [id, kept] : pair)) });
}

function placePattern(id, [x, y]) {
  const { across, up } = state.energy;
  const rounded = (v) => Math.round(v * 1000) / 1000;
  setPattern(
    id,
    vectorOfPattern(id).map((v, i) => (i === across ? rounded(x) : i === up ? rounded(y) : v)),
  );
}

function patternMoves() {
  return {
    moved(id, place) {
      dragging.active = true;
      placePattern(id, place);
    },
    dropped() {
      dragging.active = false;
      redraw();
    },
    picked(id) {
      dragging.carried = id;
      redraw();
    },
    tapped: (place) => placePattern(CUE, place),
  };
}

const LOWEST_BETA = 0.5;

/** β falls step by step, so that one sees the basins merge. */
const letBetaFall = (button) =>
  play("energy", button, inRatio(Math.max(state.energy.beta, 12), LOWEST_BETA, 60), 60, (beta) =>
    change("energy", { beta }),
  );
