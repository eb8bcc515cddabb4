// The induction view: "their dog … their" leads to "dog", by two layers.

const inductionView = {
  name: phrase`Induction`,
  help:
    phrase`Layer 1 turns each position by one step, so that each word finds the one before it. ` +
    phrase`Layer 2 finds an earlier word that came after this word, and expects it.`,

  build(root) {
    const own = () => state.induction;
    const to = (changes) => change("induction", changes);
    this.presets = new Presets("induction", phrase`Settings of the scenario`, () => (this.chosen = null));
    this.tasks = new Tasks("induction");
    this.chosen = null;
    this.arcs = [1, 2].map(
      (number) => new Arcs(phrase`Layer ${number}: who attends to whom`, (i) => ((this.chosen = i), redraw())),
    );
    this.table = new PartsOfWords(phrase`The parts of each word after both layers`);
    this.settings = new Controls(
      "induction",
      ["turn", "start", "mask", "separation", "beta", "activation"],
      own,
      (key, value) => {
        if (key === "start") this.chosen = null; // the words move along by one place
        to({ [key]: value });
      },
    );
    this.words = element("input", {
      id: "induction-words",
      autocomplete: "off",
      onchange: (event) => this.setWords(event.target.value),
    });
    this.parts = {
      sentence: element("p", { class: "sentence" }),
      reason: element("p"),
      trouble: element("p", { class: "hint", role: "status" }),
    };
    this.bars = new Bars();
    root.append(...this.cards());
  },

  cards() {
    const { sentence, reason, trouble } = this.parts;
    const text = element(
      "div",
      { class: "control" },
      element("label", { for: "induction-words" }, phrase`Words of the text, up to ${page.controls.sizes.inductionTokens}`),
      this.words,
    );
    this.settings.root.append(playButton(phrase`Read the text`, (button) => this.read(button)));
    const fit = ({ svg }) => element("div", { class: "fit" }, svg);
    const columns = {
      first: [
        mainCard("layer-1", phrase`Layer 1: the word before`, fit(this.arcs[0])),
        mainCard("layer-2", phrase`Layer 2: a word that came after this word`, fit(this.arcs[1])),
        card("parts-card", phrase`Parts of each word after both layers`, fit(this.table)),
      ],
      second: [
        mainCard("expects-card", phrase`What it expects`, sentence, this.bars.root, reason),
        leadCard("induction-settings", text, trouble, this.settings.root),
        this.tasks.root,
      ],
    };
    return [this.presets.root, ...columnsOf(columns)];
  },

  draw(own) {
    const result = induce(own);
    const { tokens, traces } = result;
    const names = tokenNames(tokens);
    this.presets.draw(own);
    this.tasks.draw(own);
    if (this.chosen === null || this.chosen >= tokens.length) this.chosen = tokens.length - 1;
    const chosen = this.chosen;
    this.arcs.forEach((arcs, l) => arcs.draw(names, traces[l].heads[0].weights, traces[l].heads[0].allowed, chosen));
    this.table.draw(result, chosen);
    this.settings.draw();
    setValue(this.words, own.tokens.join(" "), true);
    this.drawExpected(own, result, chosen, names);
  },

  drawExpected(own, { tokens, words, part }, chosen, names) {
    const expected = part("expected", chosen, 1);
    this.bars.draw(words.map((name, i) => ({ name, numbers: [expected[i]], text: shown(expected[i]) })));
    const best = largest(expected);
    const winners = expectedWords({ words, part }, chosen);
    const right = successorOf(tokens, chosen);
    const message =
      best <= 0 || winners.length === words.length
        ? phrase`${names[chosen]} expects no word.`
        : phrase`${names[chosen]} expects ${winners.join(phrase` and `)}.`;
    if (this.parts.sentence.textContent !== message) say(message);
    setText(this.parts.sentence, message);
    setText(this.parts.reason, reasonOf(own, right, winners));
  },

  /** Choose one word after another, from the first to the last. */
  read(button) {
    play("induction", button, range(inductionTokens(state.induction).length), 900, (i) => {
      this.chosen = i;
      redraw();
    });
  },

  setWords(text) {
    const given = text.trim().split(/\s+/).filter(Boolean);
    const tokens = given
      .filter((word) => word !== START && word.length <= page.controls.sizes.name)
      .slice(0, page.controls.sizes.inductionTokens);
    setText(
      this.parts.trouble,
      tokens.length < given.length || !tokens.length
        ? phrase`The text takes 1 to ${page.controls.sizes.inductionTokens} words of at most ${page.controls.sizes.name} letters.`
        : "",
    );
    this.chosen = null;
    if (tokens.length) change("induction", { tokens });
    else redraw();
  },

  pictures() {
    return [...this.arcs.map(({ svg }) => svg), this.table.svg];
  },
};

/** The words that followed earlier occurrences of a token's word. */
function successorOf(tokens, i) {
  return range(i)
    .filter((j) => j > 0 && tokens[j - 1] === tokens[i])
    .map((j) => tokens[j]);
}

/** The words that a token expects: those with the largest number. */
function expectedWords({ words, part }, i) {
  const expected = part("expected", i, 1);
  const best = largest(expected);
  return words.filter((_, k) => best - expected[k] < 1e-9);
}

const CURES = [
  [phrase`a start token`, { start: true }],
  [phrase`the mask “strict”`, { mask: "strict" }],
];

/** The changes after which the last word expects what followed it before. */
function curesOf(own) {
  const isCured = (change) => {
    const result = induce({ ...own, ...change });
    const last = result.tokens.length - 1;
    const words = expectedWords(result, last);
    return words.length === 1 && successorOf(result.tokens, last).includes(words[0]);
  };
  return CURES.filter(([, change]) => isCured(change)).map(([name]) => name);
}

/** Why the expected word is right, or not. */
function reasonOf(own, right, winners) {
  const { start, mask, turn } = own;
  if (!right.length) return phrase`This word did not occur before, so no word has followed it.`;
  if (winners.length === 1 && right.includes(winners[0])) return phrase`Right: ${right.join(phrase` and `)} came after it before.`;
  if (mask === "causal" && !start) {
    const cures = curesOf(own);
    const message = cures.length ? phrase` What helps: ${cures.join(phrase`, or `)}.` : "";
    return phrase`The trap: nothing stands before the first word, so it takes itself for its predecessor.${message}`;
  }
  if (360 % turn === 0 && 360 / turn < 12) {
    return phrase`Every ${360 / turn} words, positions fall on the same place of the circle; a smaller angle tells them apart.`;
  }
  return phrase`The neighbours on the circle are too much alike: take a larger angle, softmax with a larger β, or argmax.`;
}
