// ▶: a view goes through some values, one after another. Any key or click stops it.

let playing = null;

for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => (playing = null), true);

/** Show each value in turn; where less motion is wished, only the last. wait: milliseconds from one to the next. */
async function play(view, values, wait, show) {
  const own = (playing = Symbol(view));
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  for (const value of still ? values.slice(-1) : values) {
    if (playing !== own || state.view !== view) return;
    show(value);
    await pause(wait);
  }
}

const playButton = (text, act) =>
  element("button", { type: "button", class: "play", onclick: act }, element("span", { "aria-hidden": true }, "▶ "), text);

/** Numbers from one to another with equal ratios. */
const inRatio = (from, to, count) =>
  range(count + 1).map((i) => Number((from * (to / from) ** (i / count)).toPrecision(3)));
