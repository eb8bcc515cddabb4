// Changes of the attention view: words that move, heads that change, the word that is chosen.

const vectorOf = (word) => state.attention.words.find(([other]) => other === word)[1];

/** Give a word new numbers, of length 1 if words are kept there. */
function setWord(word, vector) {
  const own = state.attention;
  const kept = own.unit && norm(vector) > 0 ? unit(vector) : vector;
  const most = page.controls.sizes.number;
  change("attention", {
    words: own.words.map((pair) => (pair[0] === word ? [word, kept.map((x) => clamp(x, -most, most))] : pair)),
  });
}

/** A word at a place of the plane. With unit magnitude the other axes shrink or grow; the word stays at its place. */
function placeWord(word, [x, y]) {
  const { across, up, unit: keepsUnit } = state.attention;
  const vector = dragging.from.slice(); // as the movement began, so that the other axes come back
  const length = Math.hypot(x, y);
  const rest = vector.map((v, i) => (i === across || i === up ? 0 : v));
  const fits = keepsUnit && length < 1 && norm(rest) > 0;
  const grown = fits
    ? scaled(rest, Math.sqrt(1 - length ** 2) / norm(rest))
    : keepsUnit && length >= 1
      ? scaled(rest, 0)
      : rest;
  const rounded = (v) => Math.round(v * 1000) / 1000;
  vector.forEach((_, i) => (vector[i] = grown[i]));
  [vector[across], vector[up]] = keepsUnit ? [x, y] : [rounded(x), rounded(y)];
  setWord(word, vector);
}

/** The movement at hand: whether there is one, the word's vector as it began, and the word that was picked up. */
const dragging = { active: false, from: null, carried: null };

function wordMoves() {
  return {
    moved(word, place) {
      if (!dragging.active) dragging.from = vectorOf(word);
      dragging.active = true;
      selectWord(word);
      placeWord(word, place);
    },
    dropped() {
      dragging.active = false;
      redraw();
    },
    picked(word) {
      dragging.carried = word;
      if (word !== null) selectWord(word);
      redraw();
    },
  };
}

/** Choose the last token that is this word, if it is in the text. */
function selectWord(word) {
  const token = state.attention.tokens.lastIndexOf(word);
  if (token >= 0 && state.attention.tokens[state.attention.token] !== word)
    change("attention", { token, key: strongestKey(token) });
}

/** The key with the largest weight for a query. */
function strongestKey(token) {
  const own = state.attention;
  const trace = stack(layersOf(own), statesOfWords(own), own.residual).at(-1)?.heads[own.head];
  if (!trace) return 0;
  const sizes = trace.weights[token].map(Math.abs);
  return largest(sizes) > 0 ? sizes.indexOf(largest(sizes)) : token;
}

function changeHead(key, value) {
  const { heads, head } = state.attention;
  change("attention", { heads: heads.map((one, i) => (i === head ? { ...one, [key]: value } : one)) });
}

function changeMore(key, value) {
  change("attention", { [key]: value });
  if (key === "unit" && value)
    change("attention", { words: state.attention.words.map(([word, x]) => [word, unit(x)]) });
}
