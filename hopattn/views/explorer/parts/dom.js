// Elements of the page. Texts are only ever put in as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** Set attributes: null leaves one out, a function listens to an event such as onclick. */
function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value === null || (value === false && !name.startsWith("aria-"))) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  }
  return node;
}

const element = (tag, attributes = {}, ...children) => {
  const node = set(document.createElement(tag), attributes);
  node.append(...children);
  return node;
};

const shape = (tag, attributes = {}, ...children) => {
  const node = set(document.createElementNS(SVG, tag), attributes);
  node.append(...children);
  return node;
};

/** Change a text only where it differs: the browser then has less to do. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Change the value of a control only where it differs, and not while someone types in it. */
function setValue(node, value, typed = false) {
  if (node.value !== String(value) && !(typed && document.activeElement === node)) node.value = value;
}

/** Keep one child for each item, by key and in order; an element that stays keeps its focus. */
function keyed(parent, items, key, create, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, i) => {
    const name = String(key(item, i));
    let child = old.get(name);
    if (!child) {
      child = create(item, i);
      child.dataset.key = name;
    }
    old.delete(name);
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
    update?.(child, item, i);
  });
  old.forEach((child) => child.remove());
}

/** A section of a view with a heading. */
function card(name, title, ...children) {
  const heading = element("h2", { id: `${name}-title` }, title);
  return element("section", { class: `card ${name}`, "aria-labelledby": `${name}-title` }, heading, ...children);
}

/** The card of a view that a lecturer shows alone, and the one whose controls are beside it. */
const mainCard = (name, ...rest) => set(card(name, ...rest), { class: `card ${name} main` });
const leadCard = (name, ...children) => set(card(name, phrase`Settings`, ...children), { class: `card ${name} lead` });

/** The columns of a view: first, second, third. */
const columnsOf = (columns) =>
  Object.entries(columns).map(([name, cards]) => element("div", { class: `column ${name}` }, ...cards));

/** The sizes of elements and of plain text, measured once and again after they change: measuring while drawing is slow. */
const measured = new Map();

const resized = new ResizeObserver((entries) => {
  const isChanged = ({ target }) => measured.has(target) && measured.get(target).width !== target.clientWidth;
  if (!entries.some(isChanged) && measured.get("height") === innerHeight) return;
  measured.clear();
  redraw();
});

/** The width and height of an element. */
function sizeOf(node) {
  if (!measured.has(node)) {
    measured.set(node, { width: node.clientWidth, height: node.clientHeight });
    measured.set("height", innerHeight);
    resized.observe(node);
  }
  return measured.get(node);
}

/** The size of plain text in pixels; pictures grow with it. */
function rem() {
  if (!measured.has("rem")) measured.set("rem", parseFloat(getComputedStyle(document.documentElement).fontSize));
  return measured.get("rem");
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A sentence for screen readers; of several in a short time, the last. */
function say(text) {
  clearTimeout(say.waiting);
  say.waiting = setTimeout(() => setText(document.getElementById("spoken"), text), 250);
}
