// Lines over time: the energy step by step, the overlaps with the patterns.

const CHART = { left: 58, right: 14, top: 28, bottom: 42, height: 220 };

class Chart {
  constructor(name, choose) {
    this.parts = Object.fromEntries(["axes", "lines", "now", "names"].map((key) => [key, shape("g", { class: key })]));
    this.svg = shape("svg", { class: "chart", role: "img", "aria-label": name }, ...Object.values(this.parts));
    this.name = name;
    if (choose) this.svg.addEventListener("click", (event) => choose(this.timeOf(event)));
  }

  timeOf(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - CHART.left) / (box.width - CHART.left - this.right);
    return Math.round(clamp(share, 0, 1) * this.last);
  }

  /** series: { name, values, colour }, each a number for each time; ends: [least, most], else from the values. */
  draw({ series, time, across, up, ends }) {
    const width = sizeOf(this.svg.parentElement).width;
    const names = series.length > 1 ? series.map(({ name }) => name) : [];
    this.right = Math.min(Math.max(CHART.right, ...names.map((name) => textWidth(name) + 16)), width / 4);
    set(this.svg, { viewBox: `0 0 ${width} ${CHART.height}`, width, height: CHART.height });
    this.last = Math.max(1, ...series.map(({ values }) => values.length - 1));
    const all = series
      .flatMap(({ values }) => [largest(values), -largest(values.map((v) => -v))])
      .filter(Number.isFinite);
    const [least, most] = ends ?? roomy(-largest(all.map((v) => -v)), largest(all));
    const at = ([t, v]) => [
      CHART.left + (t / this.last) * (width - CHART.left - this.right),
      CHART.height - CHART.bottom - ((v - least) / (most - least)) * (CHART.height - CHART.top - CHART.bottom),
    ];
    this.drawAxes({ at, least, most, across, up, width });
    keyed(
      this.parts.lines,
      series,
      ({ name }) => name,
      () => shape("path", { fill: "none" }),
      (node, { values, colour }) =>
        set(node, {
          d: `M${values
            .map((v, t) =>
              at([t, v])
                .map((x) => x.toFixed(1))
                .join(" "),
            )
            .join("L")}`,
          stroke: colour,
          "stroke-width": series.length > 4 ? 2 : 3,
        }),
    );
    keyed(
      this.parts.now,
      series,
      ({ name }) => name,
      () => shape("circle", { r: 5 }),
      (node, { values, colour }) => {
        const [cx, cy] = at([Math.min(time, values.length - 1), values[Math.min(time, values.length - 1)]]);
        set(node, { cx, cy, fill: colour });
      },
    );
    this.drawNames(names.length ? series : [], at);
    const message = series.map(({ name, values }) => phrase`${name} ${shown(values[0])} to ${shown(values.at(-1))}`);
    set(this.svg, { "aria-label": `${this.name}: ${message.join("; ")}` });
  }

  /** The name of each line beside its end; names that would overlap are moved apart, with a line to their end. */
  drawNames(series, at) {
    const ends = series.map(({ name, values, colour }) => {
      const [x, y] = at([values.length - 1, values.at(-1)]);
      return { name, colour, x, y };
    });
    ends.sort((a, b) => a.y - b.y);
    const places = apart(
      ends.map(({ y }) => y),
      0.95 * rem(),
      CHART.height - 22,
    );
    keyed(
      this.parts.names,
      ends,
      ({ name }) => name,
      () => shape("g", {}, shape("line"), shape("text", { class: "series" })),
      (node, { name, colour, x, y }, i) => {
        const isShown = places[i] > 0;
        set(node.firstChild, { x1: x + 2, y1: y, x2: x + 12, y2: places[i], stroke: colour, visibility: isShown ? "visible" : "hidden" });
        set(node.lastChild, { x: x + 15, y: places[i] + 5 });
        node.lastChild.style.fill = colour;
        setText(node.lastChild, isShown ? name : "");
      },
    );
  }

  drawAxes({ at, least, most, across, up, width }) {
    const bottom = CHART.height - CHART.bottom;
    const wide = ticks(0, this.last)
      .filter((t) => Number.isInteger(t))
      .map((t) => ({ key: `t${t}`, x: at([t, 0])[0], y: bottom + 18, anchor: "middle", text: String(t) }));
    const high = ticks(least, most)
      .filter((_, i, list) => list.length < 7 || i % 2 === 0)
      .map((v) => ({
        key: `v${v.toFixed(6)}`,
        x: CHART.left - 6,
        y: at([0, v])[1] + 5,
        anchor: "end",
        text: shown(v),
        line: at([0, v])[1],
      }));
    const titles = [
      { key: "across", x: width - this.right, y: CHART.height - 4, anchor: "end", text: `${across} →` },
      { key: "up", x: 4, y: CHART.top - 12, anchor: "start", text: `${up} ↑` },
    ];
    keyed(
      this.parts.axes,
      [...wide, ...high, ...titles],
      ({ key }) => key,
      () => shape("g", {}, shape("line", { class: "grid" }), shape("text")),
      (node, { x, y, anchor, text, line }) => {
        set(
          node.firstChild,
          line === undefined
            ? { visibility: "hidden" }
            : { x1: CHART.left, x2: width - this.right, y1: line, y2: line },
        );
        set(node.lastChild, { x, y, "text-anchor": anchor, class: "tick" });
        setText(node.lastChild, text);
      },
    );
  }
}

/** Heights in their order, moved apart around where they were; −1 for those that do not fit above the lowest place. */
function apart(heights, room, lowest) {
  const groups = [];
  for (const y of heights) {
    groups.push({ heights: [y], middle: y });
    const reach = ({ middle, heights: own }, way) => middle + (way * room * (own.length - 1)) / 2;
    while (groups.length > 1 && reach(groups.at(-2), 1) + room > reach(groups.at(-1), -1)) {
      const joined = groups.splice(-2).flatMap(({ heights: own }) => own);
      groups.push({ heights: joined, middle: mean(joined) });
    }
  }
  const placed = groups.flatMap(({ heights: own, middle }) => own.map((_, i) => middle + room * (i - (own.length - 1) / 2)));
  return placed.map((y) => (y > lowest || y < 0 ? -1 : y));
}

/** Two ends with room about them. */
function roomy(least, most) {
  const room = 0.08 * (most - least || 1);
  return [least - room, most + room];
}

/** Buttons and a slider for the time of a recall. */
class Clock {
  constructor(id, label, { last, time, go }) {
    const button = (text, where) =>
      element("button", { type: "button", onclick: () => go(clamp(where(), 0, last())) }, text);
    this.slider = element("input", {
      id,
      type: "range",
      min: 0,
      step: 1,
      oninput: (event) => go(Number(event.target.value)),
    });
    this.message = element("output", { for: id });
    const steps = [
      button(phrase`Cue`, () => 0),
      button(phrase`Back`, () => time() - 1),
      (this.next = button(label, () => time() + 1)),
      button(phrase`To the end`, () => last()),
    ];
    this.buttons = element("div", { class: "row" }, ...steps);
    this.root = element(
      "div",
      { class: "clock" },
      this.buttons,
      element("label", { for: id }, phrase`Time `),
      this.message,
      this.slider,
    );
  }

  /** label: of the button that goes on by one. */
  draw(time, last, text, label) {
    if (label) setText(this.next, label);
    set(this.slider, { max: last });
    setValue(this.slider, time);
    setText(this.message, text);
  }
}
