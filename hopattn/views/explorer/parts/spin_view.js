// The spin view: paint a cue, store and damage pictures, and watch the recall neuron by neuron.

const spinView = {
  name: phrase`Spins`,
  help: ({ update }) =>
    phrase`Paint on the cue with mouse, finger, or arrow keys and space. Each pixel is a neuron of ±1. ` +
    (update === "sync"
      ? phrase`Recall changes all neurons at once until nothing changes.`
      : phrase`Recall changes one neuron after another until nothing changes.`),

  build(root) {
    const own = () => state.spins;
    const to = (changes) => change("spins", changes);
    this.presets = new Presets("spins", phrase`Cues of the scenario`);
    this.tasks = new Tasks("spins");
    this.cue = new Pixels(phrase`The cue; arrow keys move, space paints`, (cue) => to({ cue, time: 0 }));
    this.now = new Pixels(phrase`The state`);
    const from = (key, value) => to({ [key]: value, time: 0 });
    this.settings = new Controls("spins", ["rule", "update", "self_coupling", "ties", "temperature", "sweeps", "seed"], own, from);
    this.order = element("input", {
      id: "spins-order",
      autocomplete: "off",
      placeholder: "1, 2, 3 …",
      onchange: () => this.takeOrder(this.order.value),
    });
    const label = element("label", { for: "spins-order" }, phrase`Order of the neurons`);
    this.orderRow = element("div", { class: "control" }, label, this.order);
    this.damage = new Controls("spins", ["damage"], own, (key, value) => to({ [key]: value }));
    this.energies = new Chart(phrase`Energy`, (time) => to({ time }));
    this.overlaps = new Chart(phrase`Overlap with each stored picture`, (time) => to({ time }));
    this.clock = new Clock("spin-time", phrase`Neuron`, {
      last: () => this.moves.length,
      time: () => own().time,
      go: (time) => to({ time }),
    });
    this.run = playButton(phrase`Run`, (button) => this.play(button));
    this.clock.buttons.prepend(this.run);
    this.stored = element("ul", { class: "stored" });
    this.parts = {
      sentence: element("p", { class: "sentence", "aria-live": "polite" }),
      unknown: element("p", { class: "hint" }, phrase`Grey: unknown.`),
      trouble: element("p", { class: "warning", role: "alert", hidden: true }),
      noEnergy: element("p", { class: "hint" }),
    };
    root.append(...this.cards());
  },

  cards() {
    const button = (text, act) => element("button", { type: "button", onclick: act }, text);
    const paint = (cue) => change("spins", { cue, time: 0 });
    const tools = element(
      "div",
      { class: "row" },
      button(phrase`Damage`, () => paint(damaged(state.spins.cue, state.spins.damage, state.spins.seed))),
      button(phrase`Hide the left half`, () => paint(withoutLeft(state.spins.cue, state.spins.columns))),
      button(phrase`Clear`, () => paint(".".repeat(state.spins.cue.length))),
    );
    this.name = element("input", { id: "picture-name", maxlength: page.controls.sizes.name, autocomplete: "off" });
    const store = element("form", { class: "control", onsubmit: (event) => this.store(event) });
    store.append(
      element("label", { for: "picture-name" }, phrase`Store the painted cue as`),
      this.name,
      element("button", {}, phrase`Store`),
    );
    const figure = (name, pixels) => element("figure", {}, element("figcaption", {}, name), pixels.svg);
    const overlaps = element("span", {}, term("overlap", phrase`Overlap`), phrase` with each stored picture`);
    const columns = {
      first: [
        mainCard(
          "paint-card",
          phrase`Paint and recall`,
          this.parts.trouble,
          element("div", { class: "pair" }, figure(phrase`cue (paint here)`, this.cue), figure(phrase`state`, this.now)),
          this.parts.unknown,
          this.parts.sentence,
          this.clock.root,
        ),
        card("tools-card", phrase`Damage the cue`, this.damage.root, tools),
        card("stored-card", phrase`Stored pictures`, this.stored, store),
      ],
      second: [
        leadCard("spin-settings", this.settings.root, this.orderRow),
        this.tasks.root,
        card("energy-card", term("energy", phrase`Energy`), this.parts.noEnergy, element("div", { class: "fit" }, this.energies.svg)),
        card("overlap-card", overlaps, element("div", { class: "fit" }, this.overlaps.svg)),
      ],
    };
    return [this.presets.root, ...columnsOf(columns)];
  },

  draw(own) {
    this.presets.draw(own);
    this.settings.draw();
    this.settings.root.querySelector('[data-control="ties"]').hidden = own.temperature > 0;
    this.orderRow.hidden = own.update !== "sequence";
    setValue(this.order, own.order.join(", "), true);
    this.damage.draw();
    this.recall(own);
    const time = Math.min(own.time, this.moves.length);
    const x = stateAfter(spinsOf(own.cue), this.moves, time);
    this.cue.draw(own.cue, own.columns);
    this.parts.unknown.hidden = !own.cue.includes("?");
    this.now.draw(charactersOf(x), own.columns, time > 0 ? this.moves[time - 1].neuron : -1);
    this.drawStored(own, x);
    this.drawCharts(own, time);
    const [what, button] = own.update === "sync" ? [phrase`step`, phrase`Step`] : [phrase`update`, phrase`Neuron`];
    this.clock.draw(time, this.moves.length, phrase`${what} ${time} of ${this.moves.length}`, button);
    labelPlay(this.run, time > 0 && time === this.moves.length ? phrase`Run again` : phrase`Run`);
    setText(this.parts.sentence, time < this.moves.length ? "" : this.ending(own, x));
    this.tasks.draw(own);
  },

  /** The recall and its course, computed anew only where something that it depends on has changed. */
  recall(own) {
    const { time, damage, ...rest } = own;
    const key = JSON.stringify(rest);
    if (key === this.computed) return;
    this.computed = key;
    this.parts.trouble.hidden = true;
    const cue = spinsOf(own.cue);
    try {
      const couplings = couplingsOf(own);
      const { moves, status } = spinRecall(couplings, cue, own);
      const patterns = own.patterns.map(([, picture]) => spinsOf(picture));
      Object.assign(this, {
        moves,
        status,
        ...courseOf(couplings, cue, moves, patterns),
        symmetric: own.rule !== "perceptron",
      });
    } catch (error) {
      setText(this.parts.trouble, error.message);
      this.parts.trouble.hidden = false;
      Object.assign(this, {
        moves: [],
        status: "limit",
        energyCourse: [0],
        overlapCourse: own.patterns.map(() => [0]),
        symmetric: false,
      });
    }
  },

  ending(own, x) {
    const patterns = own.patterns.map(([, picture]) => spinsOf(picture));
    const all = patterns.map((pattern) => overlap(pattern, x));
    const best = all.indexOf(largest(all));
    const what = { converged: phrase`It has converged`, cycle: phrase`It runs in a cycle of two`, limit: phrase`It has not converged` }[
      this.status
    ];
    const which =
      all[best] === 1
        ? phrase`on ${own.patterns[best][0]}`
        : all.includes(-1)
          ? phrase`on ${own.patterns[all.indexOf(-1)][0]}, reversed`
          : phrase`on no stored picture; nearest is ${own.patterns[best][0]} (overlap ${shown(all[best])})`;
    return `${what} ${this.status === "converged" ? which : `(${which})`}.`;
  },

  drawStored(own, x) {
    keyed(
      this.stored,
      own.patterns,
      ([name]) => name,
      createStored,
      (node, [name, picture]) => {
        node.pixels.draw(picture, own.columns);
        setText(node.message, phrase`${name}: overlap ${shown(overlap(spinsOf(picture), x))}`);
        node.forget.disabled = own.patterns.length < 2;
      },
    );
  },

  drawCharts(own, time) {
    const across = own.update === "sync" ? phrase`step` : phrase`update`;
    setText(this.parts.noEnergy, this.symmetric ? "" : phrase`These couplings are not symmetric: there is no energy.`);
    this.energies.svg.parentElement.hidden = !this.symmetric;
    if (this.symmetric)
      this.energies.draw({
        series: [{ name: phrase`energy`, values: this.energyCourse, colour: "var(--plus)" }],
        time,
        across,
        up: phrase`energy`,
      });
    const series = own.patterns.map(([name], i) => ({
      name,
      values: this.overlapCourse[i],
      colour: `var(--series-${(i % 7) + 1})`,
    }));
    this.overlaps.draw({ series, time, across, up: phrase`overlap`, ends: [-1.05, 1.05] });
  },

  /** An order of the neurons from 1, as a person writes it; nothing is 1, 2, 3 … */
  takeOrder(text) {
    const order = text.split(/[^0-9]+/).filter(Boolean).map(Number);
    const [n, written] = [state.spins.cue.length, order.length > 0];
    if (written && !isOrder(order, n)) {
      const reason = phrase`An order names each of the ${n} neurons once, from 1.`;
      this.order.value = state.spins.order.join(", ");
      setText(this.parts.sentence, reason);
      return say(reason);
    }
    return change("spins", { order, time: 0 });
  },

  store(event) {
    event.preventDefault();
    const { patterns, cue } = state.spins;
    const name = this.name.value.trim() || phrase`picture ${patterns.length + 1}`;
    const reason = cue.includes("?")
      ? phrase`Paint the unknown pixels first.`
      : patterns.some(([other]) => other === name)
        ? phrase`${name} is stored already.`
        : patterns.length >= page.controls.sizes.pictures
          ? phrase`There is no room for more pictures.`
          : "";
    setText(this.parts.sentence, reason);
    if (reason) return say(reason);
    this.name.value = "";
    return change("spins", { patterns: [...patterns, [name, cue]], time: 0 });
  },

  /** Run from the cue to the end in about four seconds. */
  play(button) {
    const last = this.moves.length;
    const stride = Math.max(1, Math.ceil(last / 100));
    const times = [...range(Math.ceil(last / stride)).map((i) => i * stride), last];
    play("spins", button, times, last < 10 ? 500 : 40, (time) => change("spins", { time }));
  },

  pictures() {
    return [this.cue.svg, this.now.svg, this.energies.svg, this.overlaps.svg];
  },
};

/** The energies and the overlaps with each pattern, one number for each time from the cue on. */
function courseOf(couplings, cue, moves, patterns) {
  const x = cue.slice();
  const energyCourse = [spinEnergy(couplings, x)];
  const overlapCourse = patterns.map((pattern) => [overlap(pattern, x)]);
  for (const { changes } of moves) {
    for (const [i, spin] of changes) x[i] = spin;
    energyCourse.push(changes.length ? spinEnergy(couplings, x) : energyCourse.at(-1));
    overlapCourse.forEach((list, mu) => list.push(changes.length ? overlap(patterns[mu], x) : list.at(-1)));
  }
  return { energyCourse, overlapCourse };
}

/** A stored picture with the buttons to take it as the cue and to forget it. */
function createStored([name]) {
  const current = () => state.spins.patterns.find(([other]) => other === name)[1];
  const pixels = new Pixels(name);
  const message = element("span");
  const use = element(
    "button",
    {
      type: "button",
      onclick: () => change("spins", { cue: current(), time: 0 }),
      "aria-label": phrase`Take ${name} as the cue`,
    },
    phrase`Cue`,
  );
  const forget = element(
    "button",
    {
      type: "button",
      onclick: () => change("spins", { patterns: state.spins.patterns.filter(([other]) => other !== name), time: 0 }),
      "aria-label": phrase`Forget ${name}`,
    },
    phrase`Forget`,
  );
  return Object.assign(element("li", {}, pixels.svg, message, use, forget), { pixels, message, forget });
}
