// The vectors of the induction view, part by part: a place on the circle, and cells for word, previous and expected.

const DIAL = 17;
const PART_NAMES = {
  place: phrase`place`,
  word: phrase`word`,
  previous: phrase`previous`,
  expected: phrase`expected`,
};

class PartsOfWords {
  constructor(name) {
    this.head = shape("g");
    this.rows = shape("g");
    this.svg = shape("svg", { class: "parts", role: "img", "aria-label": name }, this.head, this.rows);
  }

  /** result: what `induce` gives. */
  draw({ tokens, words, vectors, part }, chosen) {
    const names = tokenNames(tokens);
    const width = sizeOf(this.svg.parentElement).width;
    if (!width) return; // hidden
    const left = Math.min(Math.max(...names.map(textWidth)) + 10, width / 4);
    const gap = 12;
    const cell = clamp((width - left - 2 * DIAL - 6 * gap) / (3 * words.length), 6, 40);
    const widest = Math.max(...words.map(textWidth));
    const slanted = widest > cell - 3;
    const top = 26 + (slanted ? Math.min(widest * 0.9, 110) : 24);
    const row = 2 * DIAL + 8;
    set(this.svg, {
      viewBox: `0 0 ${width} ${top + row * tokens.length + 4}`,
      width,
      height: top + row * tokens.length + 4,
    });
    const starts = ["word", "previous", "expected"].map((name, k) => ({
      name,
      x: left + 2 * DIAL + gap * (k + 2) + k * cell * words.length,
    }));
    const headings = headingsOf(starts, cell * words.length, left + gap / 2);
    const columns = starts.flatMap(({ name, x }) =>
      words.map((word, j) => ({ key: `${name} ${j}`, word, x: x + cell * (j + 0.5) })),
    );
    keyed(
      this.head,
      [...headings, ...columns],
      ({ key, name }) => key ?? name,
      () => shape("text"),
      (node, { name, word, x, anchor }) => {
        const turned = word !== undefined && slanted;
        set(node, {
          transform: `translate(${x} ${word === undefined ? 15 : top - 8})${turned ? " rotate(-60)" : ""}`,
          class: word !== undefined ? "key" : anchor === "start" && name !== "place" ? "heading" : "heading narrow",
          "text-anchor": anchor ?? (slanted ? "start" : "middle"),
        });
        setText(node, word === undefined ? PART_NAMES[name] : word);
      },
    );
    const layout = { left, gap, cell, row, top, starts };
    keyed(
      this.rows,
      names,
      (_, i) => i,
      () =>
        shape(
          "g",
          {},
          shape("text", { x: 0 }),
          shape("circle", { class: "dial", r: DIAL }),
          shape("line", { class: "hand" }),
          shape("g"),
        ),
      (node, name, i) =>
        this.drawRow(
          node,
          { name, i, chosen, vector: vectors[i], numbers: starts.map(({ name: of }) => part(of, i, 1)) },
          layout,
        ),
    );
  }

  drawRow(node, { name, i, chosen, vector, numbers }, { left, gap, cell, row, top, starts }) {
    const [text, dial, hand, cells] = node.children;
    const [cx, cy] = [left + gap / 2 + DIAL, row / 2];
    set(node, { transform: `translate(0 ${top + row * i})` });
    set(text, { y: cy + 5, class: i === chosen ? "query chosen" : "query" });
    setText(text, name);
    set(dial, { cx, cy });
    set(hand, { x1: cx, y1: cy, x2: cx + DIAL * vector[0], y2: cy - DIAL * vector[1] });
    const all = numbers.flatMap((list, k) => list.map((x, j) => ({ x, at: starts[k].x + cell * j, key: `${k} ${j}` })));
    keyed(
      cells,
      all,
      ({ key }) => key,
      () => shape("g", {}, shape("rect", { rx: 3 }), shape("text", { "text-anchor": "middle" })),
      (one, { x, at }) => {
        const rgb = colourOf(x, 1);
        set(one, { transform: `translate(${at} ${cy - 16})` });
        set(one.firstChild, { width: cell - 1, height: 32, fill: cssColour(rgb) });
        set(one.lastChild, { x: cell / 2, y: 21 });
        one.lastChild.style.fill = readableOn(rgb);
        const isNarrow = cell < ROOM_FOR_NUMBERS;
        set(one.lastChild, { class: isNarrow ? "small" : null });
        setText(one.lastChild, cell < 14 || Math.abs(x) < 0.005 ? "" : shown(x, isNarrow ? 1 : 2));
      },
    );
  }
}

/** The headings of the parts; where there is little room, they spread to both sides of their middle. */
function headingsOf(starts, own, left) {
  const place = { name: "place", x: left, anchor: "start" };
  if (starts.every(({ name }) => textWidth(PART_NAMES[name]) < own)) {
    return [place, ...starts.map((one) => ({ ...one, anchor: "start" }))];
  }
  const anchors = ["start", "middle", "end"];
  return [place, ...starts.map(({ name, x }, k) => ({ name, x: x + (own * k) / 2, anchor: anchors[k] }))];
}
