// Bars on one axis: a name, one bar for each number of a row, and the numbers as text.

class Bars {
  /** legend: what the first and the second colour mean, where each row has two numbers. */
  constructor(legend = []) {
    const meanings = legend.map((text, i) => element("span", { class: i ? "after" : "before" }, text));
    this.legend = element("div", { class: "legend" }, ...meanings);
    this.legend.hidden = !legend.length;
    this.rows = element("div", { class: "rows" });
    this.root = element("div", { class: "senses" }, this.legend, this.rows);
  }

  /** rows: { name, numbers, text, kind }. All rows have one axis, from 0 or from below it; kind: a class of the name. */
  draw(rows) {
    const all = rows.flatMap(({ numbers }) => numbers);
    const most = Math.max(1, ...all.map(Math.abs));
    const least = all.some((x) => x < -0.005) ? -100 : 0;
    keyed(this.rows, rows, ({ name }) => name, createBars, (node, { numbers, text, kind }) => {
      const [name, picture, written] = node.children;
      set(name, { class: kind ?? null });
      set(picture, { viewBox: `${least} 0 ${100 - least} 22` });
      const bars = [...picture.children].slice(1);
      bars.forEach((bar, i) => {
        const x = (100 * numbers[i]) / most;
        set(bar, { x: Math.min(0, x), width: Math.abs(x) });
      });
      setText(written, text);
    });
  }
}

/** A row of bars: of two numbers the one before above the one after, of one number a bar in the middle. */
function createBars({ name, numbers }) {
  const places = numbers.length > 1 ? [["before", 3, 7], ["after", 12, 7]] : [["after", 5, 12]];
  const picture = shape(
    "svg",
    { preserveAspectRatio: "none", "aria-hidden": true },
    shape("line", { y2: 22 }),
    ...places.map(([kind, y, height]) => shape("rect", { class: kind, y, height })),
  );
  return element("p", {}, element("b", {}, name), picture, element("span"));
}
