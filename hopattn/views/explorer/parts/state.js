// The state of the page: one plain object for each view. Whoever changes it calls `change`; the page is drawn once for
// all changes of a frame.

const page = JSON.parse(document.getElementById("start").textContent);
Object.assign(language, page.language);
const VIEWS = ["weights", "attention", "energy", "spins", "induction"].filter((view) => view in page.views);
const copy = (value) => JSON.parse(JSON.stringify(value));

const startOf = (view) => copy(page.views[view].presets[0][1]);
const state = { view: page.first, ...Object.fromEntries(VIEWS.map((view) => [view, startOf(view)])) };

let frame = null;

/** Change values of a view, and draw the page in the next frame. */
function change(view, changes) {
  Object.assign(state[view], changes);
  redraw();
}

function redraw() {
  frame ??= requestAnimationFrame(() => {
    frame = null;
    drawPage();
  });
}

/** Sentences above the view: what a link asked for and did not get. */
function showNotices(notices) {
  const list = document.getElementById("notices");
  list.replaceChildren(...notices.map((text) => element("p", {}, text)));
  list.hidden = notices.length === 0;
}
