// The page: tabs of the views, the actions above them, and the check of the arithmetic.

const views = {
  attention: attentionView,
  energy: energyView,
  spins: spinView,
  induction: inductionView,
  weights: weightsView,
};
const built = new Set();

function panelOf(view) {
  return document.getElementById(`view-${view}`);
}

function createTabs() {
  const list = document.getElementById("tabs");
  for (const view of VIEWS) {
    const open = () => openView(view);
    list.append(
      element(
        "button",
        { type: "button", role: "tab", id: `tab-${view}`, "aria-controls": `view-${view}`, onclick: open },
        views[view].name,
      ),
    );
    const panel = element("div", {
      role: "tabpanel",
      id: `view-${view}`,
      class: `view ${view}`,
      "aria-labelledby": `tab-${view}`,
      hidden: true,
    });
    document.getElementById("views").append(panel);
  }
  list.hidden = VIEWS.length < 2;
  list.addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    openView(VIEWS[(VIEWS.indexOf(state.view) + way + VIEWS.length) % VIEWS.length]);
    document.getElementById(`tab-${state.view}`).focus();
  });
}

/** A title with typographic quotes around words in straight ones. */
const withQuotes = (text) => text.replace(/(^|[\s(])'([^']+)'(?![\p{L}\d])/gu, "$1‘$2’").replace(/"([^"]+)"/g, "“$1”");

function openView(view) {
  state.view = view;
  redraw();
}

function drawPage() {
  const view = state.view;
  if (!built.has(view)) {
    views[view].build(panelOf(view));
    built.add(view);
  }
  for (const other of VIEWS) {
    panelOf(other).hidden = other !== view;
    set(document.getElementById(`tab-${other}`), {
      "aria-selected": other === view,
      tabindex: other === view ? 0 : -1,
    });
  }
  const { name, title, source } = page.views[view];
  setText(document.getElementById("title"), withQuotes(title));
  document.title = `${withQuotes(title)} · hopattn explore`;
  setText(document.getElementById("source"), `${name} · ${source}`);
  const { help } = views[view];
  drawHelp(typeof help === "string" ? help : help(state[view]));
  document.getElementById("toml").hidden = !(view in toml);
  views[view].draw(state[view]);
  rememberState();
}

/** A phone shows the first sentence, which says what one may do, and no more. */
function drawHelp(text) {
  const end = text.indexOf(". ") + 1 || text.length;
  const [first, rest] = document.getElementById("help").children;
  setText(first, text.slice(0, end));
  setText(rest, text.slice(end));
}

/** Take the state of the address, and say what of it could not be used. */
function followAddress() {
  const read = readAddress(location.hash);
  Object.assign(state, read.state);
  showNotices(read.notices);
  redraw();
}

function reset() {
  state[state.view] = startOf(state.view);
  views[state.view].tasks.forget();
  showNotices([]);
  redraw();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  setText(document.getElementById("theme"), theme === "dark" ? phrase`Light` : phrase`Dark`);
}

function showCheck({ wrong, largest, count }) {
  const node = document.getElementById("check");
  const text = wrong.length
    ? phrase`The arithmetic of this browser differs from NumPy's in: ${wrong.join(", ")}. Do not trust the numbers of this page.`
    : phrase`${count} settings agree with NumPy (largest difference ${largest.toExponential(0).replace("-", "−")}).`;
  setText(node, text);
  set(node, { class: wrong.length ? "warning" : "", role: wrong.length ? "alert" : null });
  if (wrong.length) document.getElementById("notices").before(node);
}

function startPage() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => (setTheme(dark.matches ? "dark" : "light"), redraw()));
  createTabs();
  connectActions();
  connectMenu();
  connectTerms();
  window.addEventListener("hashchange", followAddress);
  const read = readAddress(location.hash);
  Object.assign(state, read.state);
  showNotices(read.notices);
  followQuery();
  drawPage();
  requestAnimationFrame(() => setTimeout(() => showCheck(selfCheck(page.cases))));
}

startPage();
