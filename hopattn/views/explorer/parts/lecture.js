// The lecturer's view: "?view=plane&big" shows one panel in large type, and the arrow keys go through the presets.

/** What the address asks for besides the state: a view, one panel, large type. */
function followQuery() {
  const asked = new URLSearchParams(location.search);
  const wish = asked.get("view");
  const root = document.documentElement;
  root.classList.toggle("big", asked.has("big"));
  if (VIEWS.includes(wish)) state.view = wish;
  else if (wish === "plane") root.classList.add("one-panel");
  else if (wish) showNotices([phrase`The page has no view “${wish}”; it has plane, ${VIEWS.join(", ")}.`]);
  if (asked.has("big") || wish === "plane") document.addEventListener("keydown", turnPage);
}

const PAGES = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };

/** The next preset or the one before, unless the key belongs to what has the focus. */
function turnPage(event) {
  const { presets } = views[state.view];
  const hasModifier = event.altKey || event.ctrlKey || event.metaKey;
  if (!PAGES[event.key] || hasModifier || !presets) return;
  if (document.activeElement.closest("svg, input, select, [role=tab]")) return;
  event.preventDefault();
  presets.choose(presets.number + PAGES[event.key]);
}
