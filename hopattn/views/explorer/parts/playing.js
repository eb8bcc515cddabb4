// ▶: a view goes through some values, one after another. Any key or click stops it.

let playing = null; // the view and the button of what plays
let halted = null; // the button of what the last key or click has stopped: a click on it is then no start

function stopPlaying() {
  const button = playing?.button;
  playing = null;
  if (button) labelPlay(button);
}

function halt() {
  halted = playing?.button ?? null;
  stopPlaying();
}

for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, halt, true);

/** Show each value in turn; where less motion is wished, only the last. wait: milliseconds from one to the next. */
async function play(view, button, values, wait, show) {
  stopPlaying();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return show(values.at(-1));
  const own = (playing = { view, button });
  labelPlay(button);
  for (const value of values) {
    if (playing !== own) return;
    if (state.view !== view) break;
    show(value);
    await pause(wait);
  }
  if (playing === own) stopPlaying();
}

/** A button that starts `act`, and stops what it started. */
function playButton(text, act) {
  const parts = [element("span", { "aria-hidden": true }), element("span")];
  const button = element("button", { type: "button", class: "play" }, ...parts);
  button.idle = text;
  button.addEventListener("click", () => {
    const isStop = button === halted;
    halted = null;
    if (!isStop) act(button);
  });
  labelPlay(button);
  return button;
}

/** text: what the button says while nothing plays. */
function labelPlay(button, text = button.idle) {
  button.idle = text;
  const plays = playing?.button === button;
  if (plays) button.style.minWidth = `${button.offsetWidth}px`; // what stands beside it stays where it is
  else button.style.minWidth = "";
  setText(button.firstChild, plays ? "■ " : "▶ ");
  setText(button.lastChild, plays ? phrase`Stop` : text);
}

/** Numbers from one to another with equal ratios. */
const inRatio = (from, to, count) =>
  range(count + 1).map((i) => Number((from * (to / from) ** (i / count)).toPrecision(3)));
