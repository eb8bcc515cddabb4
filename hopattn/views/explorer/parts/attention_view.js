// The attention view: words in the plane of two axes, and what attention does to them.

const SHORT_TEXT = 8;

const attentionView = {
  name: phrase`Attention`,
  help:
    phrase`Drag a word, or tap it and then tap where it should go, or type its numbers. ` +
    phrase`Each word attends to others by their similarity; the result moves it.`,

  build(root) {
    const own = () => state.attention;
    const to = (changes) => change("attention", changes);
    this.presets = new Presets("attention", phrase`Texts of the scenario`);
    this.tasks = new Tasks("attention");
    this.plane = new Plane(
      phrase`The words in the plane of two axes. Arrow keys move a word, Enter picks it up.`,
      wordMoves(),
    );
    this.axes = ["across", "up"].map((key, i) =>
      picker(`axis-${key}`, [phrase`Axis across`, phrase`Axis up`][i], (axis) => to({ [key]: axis })),
    );
    this.arcs = new Arcs(phrase`Who attends to whom, and how much`, (token) => to({ token, key: strongestKey(token) }));
    this.matrix = new Matrix(phrase`Attention weights: rows attend, columns are attended to`, (token, key) => {
      this.tasks.hasRead = true;
      to({ token, key });
    });
    this.head = picker("attention-head", phrase`Head`, (head) => to({ head }));
    const [head, first] = [() => own().heads[own().head], ["separation", "beta", "alpha", "n", "mask"]];
    this.settings = new Controls("head", first, head, changeHead);
    this.others = new Controls("head", ["temperature", "similarity", "activation"], head, changeHead);
    this.play = playButton(phrase`Let β rise`, letBetaRise);
    this.more = new Controls("attention", ["steps", "residual", "unit"], own, changeMore);
    this.numbers = new NumberTable(phrase`The words as numbers`, (word, axis, x) =>
      setWord(
        word,
        vectorOf(word).map((v, i) => (i === axis ? (x ?? v) : v)),
      ),
    );
    this.senses = new Bars([phrase`before`, phrase`after`]);
    this.parts = {
      hint: element("p", { class: "hint" }),
      text: new TextEditor(),
      working: element("div", { class: "working" }),
      sentence: element("p", { class: "sentence" }),
      growth: element("p", { class: "hint" }),
    };
    root.append(...this.cards());
  },

  cards() {
    const { hint, text, working, sentence, growth } = this.parts;
    const axes = element("div", { class: "row chosen-axes" }, ...this.axes.map(({ root }) => root));
    this.settings.root.append(this.play);
    const columns = {
      first: [
        mainCard("plane-card", phrase`Words in the plane`, this.plane.svg, sentence, axes, hint),
        card("arcs-card", phrase`Who attends to whom`, element("div", { class: "fit" }, this.arcs.svg), text.root),
        card("matrix-card", phrase`Attention weights`, element("div", { class: "fit" }, this.matrix.svg)),
      ],
      second: [
        leadCard("settings-card", this.head.root, this.settings.root, growth),
        this.tasks.root,
        card("why-card", phrase`Why`, element("h3", {}, phrase`Cosine with each word`), this.senses.root, working),
        card("more-card", phrase`More settings`, this.others.root, this.more.root),
      ],
      third: [card("numbers-card", phrase`Words as numbers`, this.numbers.root, text.newWord)],
    };
    return [this.presets.root, ...columnsOf(columns)];
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
    this.presets.draw(own);
    this.tasks.draw(own);
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
      own.heads.map((_, i) => phrase`head ${i + 1} of ${own.heads.length}`),
      own.head,
    );
    for (const controls of [this.settings, this.others, this.more]) controls.draw();
    this.play.disabled = ["argmax", "proportional"].includes(own.heads[own.head].separation);
    setText(
      this.parts.growth,
      finite < own.steps
        ? phrase`The numbers grow without bound in step ${finite + 1}; the page shows ${finite} of ${own.steps} steps.`
        : "",
    );
  },

  drawPlane(own, traces, names) {
    const place = placeIn(own);
    const paths = pathsOf(own, traces);
    this.plane.fit([...own.words.map(([, vector]) => place(vector)), ...paths.flat()], dragging.active || playing);
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
    const some = own.axes.length > 2 ? phrase`2 of ${own.axes.length} axes are shown. ` : "";
    const hint = dragging.carried
      ? phrase`Tap where “${dragging.carried}” should go, or press Escape.`
      : phrase`${some}Arrows lead from each word to its result.`;
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
    setText(document.getElementById("why-card-title"), phrase`Why: ${names[own.token]} → ${names[own.key]}`);
    const others = own.words.filter(([other]) => other !== word);
    const senses = others.map(([other, vector]) => ({
      other,
      before: similarity.cosine(before, vector),
      after: similarity.cosine(after, vector),
    }));
    const most = senses.length > 12 ? [...senses].sort((a, b) => b.after - a.after).slice(0, 12) : senses;
    this.senses.draw(
      most.map(({ other, before: was, after: is }) => ({
        name: other,
        numbers: [was, is],
        text: `${shown(was)} → ${shown(is)}`,
      })),
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

const placeIn = (own) => (x) => [x[own.across], x[own.up]];

/** The places of each token in the plane: its word, and its state after each step. */
function pathsOf(own, traces) {
  const words = statesOfWords(own);
  return own.tokens.map((_, i) => [words[i], ...traces.map((trace) => trace.state[i])].map(placeIn(own)));
}

/** "banks moves toward markets (cosine .38 → .87)": of the words that it turns towards, the nearest. */
function sentenceOf(name, senses) {
  const moved = senses.map(({ other, before, after }) => ({ other, before, after, rise: after - before }));
  const rises = moved.filter(({ rise }) => rise > 0.005).sort((a, b) => b.after - a.after);
  const falls = moved.filter(({ rise }) => rise < -0.005).sort((a, b) => a.rise - b.rise);
  const message = ({ other, before, after }) => phrase`${other} (cosine ${shown(before)} → ${shown(after)})`;
  if (!rises.length && !falls.length) return phrase`${name} keeps its direction.`;
  if (!falls.length) return phrase`${name} moves toward ${message(rises[0])}.`;
  if (!rises.length) return phrase`${name} moves away from ${message(falls[0])}.`;
  return phrase`${name} moves toward ${message(rises[0])} and away from ${message(falls[0])}.`;
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

const HIGHEST_BETA = { softmax: 50, sparsemax: 50, entmax: 50 };

/** β rises from nearly nothing: weights that are shared evenly sharpen, others grow to their size at β = 1.
 *  The axes stay meanwhile, with room for all that is to come: else words would move that do not. */
function letBetaRise(button) {
  const own = state.attention;
  const highest = HIGHEST_BETA[own.heads[own.head].separation] ?? 1;
  const values = inRatio(page.controls.head.beta.least, highest, 60);
  const some = values.filter((_, i) => i % 10 === 0);
  const paths = some.flatMap((beta) => {
    const then = { ...own, heads: own.heads.map((one, i) => (i === own.head ? { ...one, beta } : one)) };
    return pathsOf(then, stack(layersOf(then), statesOfWords(then), then.residual));
  });
  attentionView.plane.fit([...own.words.map(([, vector]) => placeIn(own)(vector)), ...paths.flat()], false);
  play("attention", button, values, 60, (beta) => changeHead("beta", beta));
}
