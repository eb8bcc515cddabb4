// The state in the address: "#1." and the views that differ from the start, as JSON in base64 for addresses.

const LINK_VERSION = 1;
const ADDRESS_DELAY = 400; // milliseconds; browsers refuse to change the address too often

function toBase64(text) {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0)));
}

/** The part of the address behind #, empty for the start. */
function addressOf(state) {
  const same = (view) => JSON.stringify(state[view]) === JSON.stringify(startOf(view));
  const changed = VIEWS.filter((view) => !same(view)).map((view) => [view, state[view]]);
  if (changed.length === 0 && state.view === page.first) return "";
  return `${LINK_VERSION}.${toBase64(JSON.stringify({ view: state.view, ...Object.fromEntries(changed) }))}`;
}

/** The state that an address asks for, within the limits, and notices of what was replaced. */
function readAddress(hash) {
  const notices = [];
  const start = { view: page.first, ...Object.fromEntries(VIEWS.map((view) => [view, startOf(view)])) };
  const text = hash.replace(/^#/, "");
  if (text === "") return { state: start, notices };
  const version = Number(text.match(/^(\d+)\./)?.[1] ?? NaN);
  if (version > LINK_VERSION) {
    return {
      state: start,
      notices: [phrase`This link comes from a later version of the page (${version}). It shows the scenario as written.`],
    };
  }
  try {
    if (version !== LINK_VERSION) throw new Damaged("version");
    const given = JSON.parse(fromBase64(text.slice(text.indexOf(".") + 1)));
    need(given !== null && typeof given === "object" && !isList(given), "the state");
    const asked = VIEWS.filter((view) => view in given);
    const read = Object.fromEntries(asked.map((view) => [view, limits[view](given[view], start[view], notices)]));
    if (!VIEWS.includes(given.view)) notices.push(phrase`The link names no view of this page.`);
    return { state: { ...start, ...read, view: VIEWS.includes(given.view) ? given.view : start.view }, notices };
  } catch {
    return { state: start, notices: [phrase`The link is damaged. The page shows the scenario as written.`] };
  }
}

let waitingForAddress = null;

/** Write the state into the address, a little later, so that many changes make one. */
function rememberState() {
  clearTimeout(waitingForAddress);
  waitingForAddress = setTimeout(writeAddress, ADDRESS_DELAY);
}

/** A page inside a notebook has no address of its own. */
const hasAddress = () => location.protocol !== "about:";

function writeAddress() {
  if (!hasAddress()) return;
  const hash = addressOf(state);
  if (hash !== location.hash.replace(/^#/, ""))
    history.replaceState(null, "", `${location.href.split("#")[0]}#${hash}`);
}
