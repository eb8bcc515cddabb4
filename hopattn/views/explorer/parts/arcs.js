// Arcs from the word attended to, the key, to the word that attends, the query: looks back above the line of words,
// looks ahead below it. The width of an arc is its weight. Of a few words, each arc has the colour of its key; an arc of a
// weight below 0 is grey and dashed, as in the figure "flow".

const MOST_ARCS = 300;
const COLOURED = 6; // words up to which each has a colour
const ROOM_FOR_ARC_NUMBERS = 60; // pixels from word to word
const ROOM_FOR_WORDS = 13;
const ARROW = "M0 0L-9 -4.5L-9 4.5Z";

class Arcs {
  /** choose(i): a word was chosen. */
  constructor(name, choose) {
    this.choose = choose;
    this.lines = shape("g", { "aria-hidden": true });
    this.words = shape("g");
    this.svg = shape("svg", { class: "arcs", role: "group", "aria-label": name }, this.lines, this.words);
  }

  /** weights: (n, n); the arcs of the chosen query stand out. */
  draw(names, weights, allowed, chosen) {
    const width = sizeOf(this.svg.parentElement).width;
    if (!width) return; // hidden
    const step = width / names.length;
    const turned = names.some((name) => textWidth(name) > step - 4);
    const ahead = weights.some((row, i) => row.some((p, j) => j > i && allowed[i][j] && Math.abs(p) > 0.005));
    const rise = Math.min(150, 40 + 0.36 * width);
    const line = rise + 14;
    const below = (turned ? Math.min(Math.max(...names.map(textWidth)), 120) : 1.6 * rem()) + (ahead ? rise : 6);
    set(this.svg, { viewBox: `0 0 ${width} ${line + below}`, width, height: line + below });
    const most = Math.max(1, ...weights.flat().map(Math.abs));
    const colourOfKey = (j) => `var(--series-${names.length <= COLOURED ? j + 1 : 1})`;
    const layout = { step, line, rise, turned, most, ahead, colourOfKey };
    this.drawLines(strongest(weights, allowed, chosen), layout, chosen);
    this.drawWords(names, layout, chosen);
  }

  drawLines(arcs, { step, line, rise, most, colourOfKey }, chosen) {
    const longest = Math.max(1, ...arcs.map(({ i, j }) => Math.abs(i - j)));
    keyed(
      this.lines,
      arcs,
      ({ i, j }) => `${i} ${j}`,
      () =>
        shape(
          "g",
          {},
          shape("path", { class: "line", fill: "none" }),
          shape("path", { class: "head", d: ARROW }),
          shape("text", { "text-anchor": "middle" }),
        ),
      (node, { i, j, p }) => {
        const side = j > i ? 1 : -1;
        const [from, to, y] = [step * (j + 0.5), step * (i + 0.5), line + (side > 0 ? 28 : -4)];
        const height = i === j ? 34 : 26 + (rise - 34) * (Math.abs(i - j) / longest);
        const [a, b] = i === j ? [from - 16, to + 6] : [from, to];
        const top = y + side * height * 1.28;
        const own = i === chosen;
        set(node, { class: `${p < 0 ? "minus" : "plus"}${own ? " own" : ""}` });
        const colour = p < 0 ? "var(--faint)" : colourOfKey(j);
        set(node.children[0], {
          d: `M${a} ${y}C${a} ${top} ${b} ${top} ${b} ${y}`,
          stroke: colour,
          "stroke-dasharray": p < 0 ? "7 5" : null,
          "stroke-width": (1 + ((p < 0 ? 3 : 7) * Math.abs(p)) / most).toFixed(2),
        });
        set(node.children[1], {
          fill: colour,
          transform: `translate(${b} ${y}) rotate(${side > 0 ? -90 : 90}) scale(${(1 + Math.abs(p) / most).toFixed(2)})`,
          visibility: own ? "visible" : "hidden",
        });
        set(node.children[2], { x: (a + b) / 2, y: y + side * height + (side > 0 ? 4 : 0) });
        setText(node.children[2], own && step > ROOM_FOR_ARC_NUMBERS ? shown(p) : "");
      },
    );
  }

  drawWords(names, { step, line, turned, colourOfKey }, chosen) {
    keyed(
      this.words,
      names,
      (_, i) => i,
      (_, i) =>
        shape(
          "g",
          {
            role: "button",
            tabindex: 0,
            onclick: () => this.choose(i),
            onkeydown: (event) => ["Enter", " "].includes(event.key) && (event.preventDefault(), this.choose(i)),
          },
          shape("rect", { rx: 6, class: "reach" }),
          shape("rect", { class: "under", height: 4, rx: 2 }),
          shape("text", { y: 5 }),
        ),
      (node, name, i) => {
        set(node, {
          class: i === chosen ? "word chosen" : "word",
          transform: `translate(${step * (i + 0.5)} ${line + 12})`,
          "aria-pressed": i === chosen,
        });
        set(node.firstChild, { x: -Math.max(step - 2, 24) / 2, y: -14, width: Math.max(step - 2, 24), height: 28 });
        const wide = Math.min(textWidth(name), step - 6);
        const isColoured = names.length <= COLOURED && !turned;
        set(node.children[1], isColoured ? { x: -wide / 2, y: 11, width: wide, fill: colourOfKey(i) } : { width: 0 });
        set(
          node.lastChild,
          turned ? { "text-anchor": "end", transform: "rotate(-60)" } : { "text-anchor": "middle", transform: null },
        );
        setText(node.lastChild, step < ROOM_FOR_WORDS && i !== chosen ? "" : name);
      },
    );
  }
}

/** The arcs that are drawn: of many, the strongest; those of the chosen query last, and above 0 over those below. */
function strongest(weights, allowed, chosen) {
  const arcs = weights.flatMap((row, i) =>
    row.map((p, j) => ({ i, j, p })).filter(({ j, p }) => allowed[i][j] && Math.abs(p) > 0.005),
  );
  const kept = arcs.length <= MOST_ARCS ? arcs : arcs.sort((a, b) => Math.abs(b.p) - Math.abs(a.p)).slice(0, MOST_ARCS);
  kept.sort((a, b) => a.p - b.p);
  return [...kept.filter(({ i }) => i !== chosen), ...kept.filter(({ i }) => i === chosen)];
}
