// The weights view: the heads of any model, from the weights that were given; nothing is computed but averages.

const MOST_BARS = 12;
/** The names of what `measuresOf` gives. */
const MEASURES = [phrase`entropy`, phrase`first`, phrase`before`, phrase`itself`];

const weightsView = {
  name: phrase`Weights`,
  help:
    phrase`Choose a head in the list; the name of a column sorts it. Choose a cell of the matrix, or a word below the arcs: ` +
    phrase`the bars show how much that word attends to each other one.`,

  build(root) {
    const { heads, queries, keys } = page.views.weights;
    this.heads = heads.map((head) => head.map((row) => row.map((p) => p ?? 0)));
    this.allowed = heads.map((head) => head.map((row) => row.map((p) => p !== null)));
    this.measures = this.heads.map(measuresOf);
    this.names = { queries: tokenNames(queries), keys: tokenNames(keys) };
    this.isText = JSON.stringify(queries) === JSON.stringify(keys);
    const chosen = (query, key) => change("weights", { query, key });
    this.arcs = new Arcs(phrase`Who attends to whom, and how much`, (query) => chosen(query, this.strongest(query)));
    this.matrix = new Matrix(phrase`The weights: rows attend, columns are attended to`, (query, key) => {
      this.tasks.hasRead = true;
      chosen(query, key);
    });
    this.rows = element("tbody");
    this.sorts = [phrase`head`, ...MEASURES.slice(0, this.measures[0].length)].map((name, sort) =>
      element("button", { type: "button", onclick: () => change("weights", { sort }) }, name),
    );
    this.sentence = element("p", { class: "sentence" });
    this.bars = new Bars();
    this.tasks = new Tasks("weights");
    root.append(...this.cards());
  },

  cards() {
    const top = this.sorts.map((button) => element("th", { scope: "col" }, button));
    const table = element("table", { class: "ends" }, element("thead", {}, element("tr", {}, ...top)), this.rows);
    const list = element("div", { class: "numbers", tabindex: 0, role: "region", "aria-label": phrase`The heads` }, table);
    const message = this.isText
      ? phrase`Averages over the words: entropy in nats, and the weight on the first word, the word before, the word itself.`
      : phrase`Averages over the queries: entropy in nats, and the weight on the first key.`;
    const arcs = mainCard("arcs-card", phrase`Who attends to whom`, element("div", { class: "fit" }, this.arcs.svg));
    arcs.hidden = !this.isText;
    return columnsOf({
      first: [arcs, mainCard("matrix-card", phrase`Weights of the head`, element("div", { class: "fit" }, this.matrix.svg))],
      second: [
        card("heads-card", phrase`Heads`, list, element("p", { class: "hint" }, message)),
        card("why-card", phrase`Weights of the word`, this.sentence, this.bars.root),
        this.tasks.root,
      ],
    });
  },

  /** The key on which the query has the most weight, in the head that is shown. */
  strongest(query, head = state.weights.head) {
    const row = this.heads[head][query].map(Math.abs);
    return row.indexOf(Math.max(...row));
  },

  choose(head) {
    change("weights", { head, key: this.strongest(state.weights.query, head) });
  },

  draw(own) {
    const { head, query, key, sort } = own;
    const { names, queries } = { names: page.views.weights.names, queries: this.names.queries };
    const [weights, allowed] = [this.heads[head], this.allowed[head]];
    this.drawHeads(names, head, sort);
    if (this.isText) this.arcs.draw(queries, weights, allowed, query);
    this.matrix.draw(queries, this.names.keys, weights, allowed, [query, key]);
    setText(document.getElementById("matrix-card-title"), phrase`Weights of ${names[head]}`);
    setText(document.getElementById("why-card-title"), phrase`Weights of ${queries[query]} in ${names[head]}`);
    this.drawBars(weights[query], allowed[query], key);
    this.tasks.draw(own);
  },

  drawHeads(names, head, sort) {
    this.sorts.forEach((button, i) => set(button, { "aria-pressed": i === sort }));
    const order = range(names.length);
    if (sort) order.sort((a, b) => this.measures[b][sort - 1] - this.measures[a][sort - 1]);
    keyed(
      this.rows,
      order,
      (i) => i,
      (i) =>
        element(
          "tr",
          {},
          element("th", {}, element("button", { type: "button", onclick: () => this.choose(i) }, names[i])),
          ...this.measures[i].map((x) => element("td", {}, shown(x))),
        ),
      (row, i) => set(row.firstChild.firstChild, { "aria-pressed": i === head }),
    );
  },

  drawBars(row, allowed, key) {
    const seen = range(row.length).filter((j) => allowed[j]);
    const most = seen.sort((a, b) => Math.abs(row[b]) - Math.abs(row[a])).slice(0, MOST_BARS);
    const rest = seen.length - most.length;
    const total = phrase`The weights of this word sum to ${shown(sum(row), 3)}.`;
    const message = rest ? phrase`${total} The largest ${MOST_BARS} of ${seen.length}:` : total;
    if (this.sentence.textContent !== message) say(message);
    setText(this.sentence, message);
    this.bars.draw(
      most.map((j) => ({
        name: this.names.keys[j],
        numbers: [row[j]],
        text: shown(row[j], 4),
        kind: j === key ? "key" : null,
      })),
    );
  },

  pictures() {
    return this.isText ? [this.arcs.svg, this.matrix.svg] : [this.matrix.svg];
  },
};
