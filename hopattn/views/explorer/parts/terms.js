// A term is explained in one line while the pointer is on it or it has the focus: an element with data-term.

const termOf = (node) => node.closest?.("[data-term]") ?? null;

/** A word that can be pointed at. */
const term = (name, text) => element("span", { class: "term", tabindex: 0, "data-term": name }, text);

let explained = null; // the element whose term is shown

function showTerm(node) {
  const tip = document.getElementById("tip");
  explained = node?.isConnected ? node : null;
  const text = explained ? page.controls.terms[node.dataset.term] : "";
  tip.hidden = !text;
  if (!text) return;
  setText(tip, text);
  tip.style.left = 0; // so that it is as wide as its text
  const [box, own] = [node, tip].map((one) => one.getBoundingClientRect());
  const wide = document.documentElement.clientWidth;
  const below = box.bottom + 6;
  tip.style.left = `${clamp(box.left, 8, Math.max(8, wide - own.width - 8))}px`;
  tip.style.top = `${below + own.height > innerHeight - 8 ? box.top - own.height - 6 : below}px`;
}

function connectTerms() {
  const hide = () => showTerm(null);
  document.addEventListener("pointerover", ({ target, buttons }) => showTerm(buttons ? null : termOf(target)));
  document.addEventListener("focusin", ({ target }) => {
    const node = target.matches(":focus-visible") ? termOf(target) : null;
    if (node) set(target, { "aria-describedby": "tip" });
    showTerm(node);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("pointerdown", ({ target }) => (target.closest(".term") ? showTerm(termOf(target)) : hide()));
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  document.addEventListener("scroll", () => showTerm(explained), true);
}
