// The attention view: words in the plane of two axes, and what attention does to them.

const SHORT_TEXT = 8;

const attentionView = {
  name: "Attention",
  help:
    "Drag a word, or tap it and then tap where it should go, or type its numbers. " +
    "Each word attends to others by their similarity; the result moves it.",

  build(root) {
    const own = () => state.attention;
    const to = (changes) => change("attention", changes);
    this.presets = chooser("Texts of the scenario", (i) => to(copy(page.views.attention.presets[i][1])));
    this.plane = new Plane(
      "The words in the plane of two axes. Arrow keys move a word, Enter picks it up.",
      wordMoves(),
    );
    this.axes = ["across", "up"].map((key, i) =>
      picker(`axis-${key}`, ["Axis across", "Axis up"][i], (axis) => to({ [key]: axis })),
    );
    this.arcs = new Arcs("Who attends to whom, and how much", (token) => to({ token, key: strongestKey(token) }));
    this.matrix = new Matrix("Attention weights: rows attend, columns are attended to", (token, key) =>
      to({ token, key }),
    );
    this.head = picker("attention-head", "Head", (head) => to({ head }));
    this.settings = new Controls(
      "head",
      ["separation", "beta", "temperature", "alpha", "n", "similarity", "mask", "activation"],
      () => own().heads[own().head],
      changeHead,
    );
    this.more = new Controls("attention", ["steps", "residual", "unit"], own, changeMore);
    this.numbers = new NumberTable("The words as numbers", (word, axis, x) =>
      setWord(
        word,
        vectorOf(word).map((v, i) => (i === axis ? (x ?? v) : v)),
      ),
    );
    this.parts = {
      hint: element("p", { class: "hint" }),
      text: new TextEditor(),
      working: element("div", { class: "working" }),
      senses: element("div", { class: "senses" }),
      sentence: element("p", { class: "sentence" }),
      growth: element("p", { class: "hint" }),
    };
    root.append(...this.cards());
  },

  cards() {
    const { hint, text, working, senses, sentence, growth } = this.parts;
    const inRow = element("div", { class: "row" }, ...this.axes.map(({ root }) => root));
    const columns = {
      first: [
        card("plane-card", "Words in the plane", inRow, this.plane.svg, hint),
        card("arcs-card", "Who attends to whom", element("div", { class: "fit" }, this.arcs.svg), text.root),
      ],
      second: [
        card("why-card", "Why", sentence, senses, working),
        card("matrix-card", "Attention weights", element("div", { class: "fit" }, this.matrix.svg)),
      ],
      third: [
        card("settings-card", "Settings", this.head.root, this.settings.root, this.more.root, growth),
        card("numbers-card", "Words as numbers", this.numbers.root, text.newWord),
      ],
    };
    return [element("div", { class: "presets" }, this.presets.root), ...columnsOf(columns)];
  },

  /** While a word is dragged, the plane is drawn in every frame, and the rest of a long text in one of three. */
  draw(own) {
    const traces = stack(layersOf(own), statesOfWords(own), own.residual);
    const names = tokenNames(own.tokens);
    this.drawPlane(own, traces, names);
    this.frame = dragging.active && own.tokens.length > SHORT_TEXT ? (this.frame + 1) % 3 : 0;
    if (this.frame === 0) this.drawRest(own, traces, names);
  },

  drawRest(own, traces, names) {
    const presets = page.views.attention.presets;
    this.presets.draw(
      presets.map(([name]) => name),
      presetOf(presets, own),
    );
    this.presets.root.parentElement.hidden = presets.length < 2;
    this.axes.forEach(({ draw }, i) => draw(own.axes, [own.across, own.up][i]));
    this.drawSettings(own, traces.length);
    this.numbers.draw(own.axes, own.words);
    this.parts.text.draw(own, names);
    const step = traces.at(-1);
    if (!step) return;
    const trace = step.heads[own.head];
    this.arcs.draw(names, trace.weights, trace.allowed, own.token);
    this.matrix.draw(names, names, trace.weights, trace.allowed, [own.token, own.key]);
    this.drawWhy(own, step, traces[0], names);
  },

  drawSettings(own, finite) {
    this.head.root.hidden = own.heads.length < 2;
    this.head.draw(
      own.heads.map((_, i) => `head ${i + 1} of ${own.heads.length}`),
      own.head,
    );
    this.settings.draw();
    this.more.draw();
    setText(
      this.parts.growth,
      finite < own.steps
        ? `The numbers grow without bound in step ${finite + 1}; the page shows ${finite} of ${own.steps} steps.`
        : "",
    );
  },

  drawPlane(own, traces, names) {
    const place = (x) => [x[own.across], x[own.up]];
    const paths = own.tokens.map((_, i) => [
      place(statesOfWords(own)[i]),
      ...traces.map((trace) => place(trace.state[i])),
    ]);
    this.plane.fit([...own.words.map(([, vector]) => place(vector)), ...paths.flat()], dragging.active);
    this.plane.drawAxes([own.axes[own.across], own.axes[own.up]]);
    const sums = sumLines(own, traces);
    this.drawPaths(own, paths, sums);
    const used = new Set(own.tokens);
    const chosen = own.tokens[own.token];
    const marks = own.words.map(([word, vector]) => ({
      id: word,
      name: word,
      place: place(vector),
      kind: `word ${word === chosen ? "query" : used.has(word) ? "key" : "unused"}${dragging.carried === word ? " carried" : ""}`,
      picked: dragging.carried === word,
      label: `${word}: ${own.axes[own.across]} ${shown(place(vector)[0])}, ${own.axes[own.up]} ${shown(place(vector)[1])}`,
    }));
    const along = paths.flatMap((path) => alongPath(path.map((at) => this.plane.at(at))));
    this.plane.drawMarks(marks, along, sums.map(sumNote));
    const hint = dragging.carried
      ? `Tap where “${dragging.carried}” should go, or press Escape.`
      : own.axes.length > 2
        ? `2 of ${own.axes.length} axes are shown. Arrows lead from each word to its result.`
        : "Arrows lead from each word to its result.";
    setText(this.parts.hint, hint);
  },

  /** The way of each word to its result, and for the chosen word the values that are added up, head to tail. */
  drawPaths(own, paths, sums) {
    const lines = paths
      .map((path, i) => ({ key: `path ${i}`, path, kind: i === own.token ? "way own" : "way" }))
      .filter(({ path }) => path.length > 1);
    keyed(
      this.plane.layers.lines,
      [...lines, ...sums],
      ({ key }) => key,
      () => shape("g", {}, shape("path", { fill: "none" }), shape("path", { class: "tip", d: ARROW })),
      (node, { path, kind }) => {
        const points = path.map((place) => this.plane.at(place));
        const [before, last] = points.slice(-2);
        const way = difference(last, before);
        set(node, { class: kind });
        set(node.children[0], { d: `M${points.map((point) => point.map((x) => x.toFixed(2)).join(" ")).join("L")}` });
        set(node.children[1], {
          transform: `translate(${last.join(" ")}) rotate(${(Math.atan2(way[1], way[0]) * 180) / Math.PI})`,
          visibility: norm(way) > 6 ? "visible" : "hidden",
        });
      },
    );
  },

  drawWhy(own, step, first, names) {
    const [word, before, after] = [own.tokens[own.token], first.input[own.token], step.state[own.token]];
    const head = own.heads[own.head];
    setText(document.getElementById("why-card-title"), `Why: ${names[own.token]} → ${names[own.key]}`);
    const others = own.words.filter(([other]) => other !== word);
    const senses = others.map(([other, vector]) => ({
      other,
      before: similarity.cosine(before, vector),
      after: similarity.cosine(after, vector),
    }));
    keyed(
      this.parts.senses,
      senses.length > 12 ? senses.sort((a, b) => b.after - a.after).slice(0, 12) : senses,
      ({ other }) => other,
      createSense,
      drawSense,
    );
    const message = sentenceOf(names[own.token], senses);
    if (this.parts.sentence.textContent !== message) say(message);
    setText(this.parts.sentence, message);
    this.parts.working.replaceChildren(
      ...working({ step, head, number: own.head, names, i: own.token, j: own.key, residual: own.residual }),
    );
  },

  pictures() {
    return [this.plane.svg, this.arcs.svg, this.matrix.svg];
  },
};

/** The number of the preset at hand: with the same text and heads, or else the only one with the same text; or −1. */
function presetOf(presets, own) {
  const same = (key, preset) => JSON.stringify(preset[key]) === JSON.stringify(own[key]);
  const whole = presets.findIndex(([, preset]) => same("tokens", preset) && same("heads", preset));
  const texts = range(presets.length).filter((i) => same("tokens", presets[i][1]));
  return whole < 0 && texts.length === 1 ? texts[0] : whole;
}

/** "banks moves toward markets: the cosine rises from .38 to .87." */
function sentenceOf(name, senses) {
  const moved = senses.map(({ other, before, after }) => ({ other, before, after, rise: after - before }));
  const rises = moved.filter(({ rise }) => rise > 0.005).sort((a, b) => b.rise - a.rise);
  const falls = moved.filter(({ rise }) => rise < -0.005).sort((a, b) => a.rise - b.rise);
  const message = ({ other, before, after }) => `${other} (cosine ${shown(before)} → ${shown(after)})`;
  if (!rises.length && !falls.length) return `${name} keeps its direction.`;
  const toward = rises.length ? `toward ${message(rises[0])}` : "";
  const away = falls.length ? `away from ${message(falls[0])}` : "";
  return `${name} moves ${[toward, away].filter(Boolean).join(" and ")}.`;
}

/** The values that the last step adds to the chosen word, head to tail; only where they add up to the result. */
function sumLines(own, traces) {
  const step = traces.at(-1);
  if (!step || own.heads.length > 1 || own.heads[0].activation !== "identity") return [];
  const trace = step.heads[0];
  const places = (x) => [x[own.across], x[own.up]];
  let at = own.residual ? places(step.input[own.token]) : [0, 0];
  if (trace.weights[own.token].filter((p) => Math.abs(p) >= 0.005).length > MOST_TERMS) return [];
  return trace.weights[own.token].flatMap((p, j) => {
    const from = at;
    at = added(at, scaled(places(trace.values[j]), p));
    return Math.abs(p) < 0.005
      ? []
      : [{ key: `sum ${j}`, path: [from, at], kind: "part", text: `${p < 0 ? "" : "+ "}${shown(p)} ${own.tokens[j]}` }];
  });
}

/** The name of a value that is added, in the middle of its line. */
const sumNote = ({ key, path, text }) => ({ id: key, name: text, place: scaled(added(...path), 0.5), kind: "part" });

/** A bar for one cosine before attention, and one for it after. */
function createSense({ other }) {
  const bar = (kind) => shape("rect", { class: kind, height: 7, y: kind === "before" ? 3 : 12, rx: 2 });
  const picture = shape(
    "svg",
    { viewBox: "-100 0 200 22", preserveAspectRatio: "none", "aria-hidden": true },
    shape("line", { y2: 22 }),
    bar("before"),
    bar("after"),
  );
  return element("p", {}, element("b", {}, other), picture, element("span"));
}

function drawSense(node, { before, after }) {
  const [, was, is] = node.children[1].children;
  for (const [bar, x] of [
    [was, before],
    [is, after],
  ])
    set(bar, { x: Math.min(0, 100 * x), width: Math.abs(100 * x), "data-sign": x < 0 ? "minus" : "plus" });
  setText(node.lastChild, `${shown(before)} → ${shown(after)}`);
}
