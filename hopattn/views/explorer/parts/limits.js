// Values from a link are held to the limits of the controls. Each that is not is replaced, with a notice.

class Damaged extends Error {}

const isList = Array.isArray;
const isNumber = (x) => typeof x === "number" && Math.abs(x) <= page.controls.sizes.number;
const isVector = (x, n) => isList(x) && x.length === n && x.every(isNumber);
const isName = (x) => typeof x === "string" && x.length > 0 && x.length <= page.controls.sizes.name;
const isIndex = (x, n) => Number.isInteger(x) && x >= 0 && x < n;
const hasSize = (list, size) => isList(list) && list.length > 0 && list.length <= page.controls.sizes[size];
const hasNames = (list, size) => hasSize(list, size) && list.every(isName) && new Set(list).size === list.length;
const isOrder = (x, n) => isList(x) && x.length === n && x.every((i) => isIndex(i - 1, n)) && new Set(x).size === n;
const isMatrix = (x) =>
  x === null || (hasSize(x, "axes") && hasSize(x[0], "axes") && x.every((row) => isVector(row, x[0].length)));

/** Stop at a value without which nothing of a link can be used. */
function need(fits, what) {
  if (!fits) throw new Damaged(what);
}

/** The values of controls, each within its limits; of others the start's, with a notice. */
function heldValues(table, given, start, notices) {
  const values = {};
  for (const [key, control] of Object.entries(page.controls[table])) {
    if (control.inverse || !(key in start)) continue;
    const value = given[key];
    const fits = control.choices
      ? control.choices.includes(value)
      : control.switch
        ? typeof value === "boolean"
        : Number.isFinite(value) && held(control, value) === value;
    if (control.least !== undefined && Number.isFinite(value) && !fits) values[key] = held(control, value);
    else values[key] = fits ? value : start[key];
    if (!fits)
      notices.push(
        phrase`The link asks for ${control.label} = ${JSON.stringify(value) ?? phrase`nothing`}; the page takes ${values[key]} instead.`,
      );
  }
  return values;
}

/** A number of one of n things; the start's where it is out of range. */
const heldIndex = (value, n) => (isIndex(value, n) ? value : 0);

const limits = {
  attention(given, start, notices) {
    const { axes, words, tokens, heads } = given;
    need(hasNames(axes, "axes"), "axes");
    need(hasSize(words, "words") && words.every((word) => isList(word) && isVector(word[1], axes.length)), "words");
    const names = words.map(([word]) => word);
    need(hasNames(names, "words"), "words");
    need(hasSize(tokens, "tokens") && tokens.every((token) => names.includes(token)), "tokens");
    need(hasSize(heads, "heads"), "heads");
    const own = heads.map((head) => heldHead(head, axes.length, start.heads[0], notices));
    const planes = { across: heldIndex(given.across, axes.length), up: heldIndex(given.up, axes.length) };
    const chosen = {
      head: heldIndex(given.head, heads.length),
      token: heldIndex(given.token, tokens.length),
      key: heldIndex(given.key, tokens.length),
    };
    return { axes, words, tokens, heads: own, ...planes, ...chosen, ...heldValues("attention", given, start, notices) };
  },

  energy(given, start, notices) {
    const { axes, patterns, cue } = given;
    need(hasNames(axes, "axes"), "axes");
    need(
      hasSize(patterns, "patterns") &&
        patterns.every((pattern) => isList(pattern) && isVector(pattern[1], axes.length)),
      "patterns",
    );
    need(
      hasNames(
        patterns.map(([name]) => name),
        "patterns",
      ) && isVector(cue, axes.length),
      "patterns and cue",
    );
    const planes = { across: heldIndex(given.across, axes.length), up: heldIndex(given.up, axes.length) };
    return {
      axes,
      patterns,
      cue,
      ...planes,
      time: heldIndex(given.time, 1001),
      ...heldValues("energy", given, start, notices),
    };
  },

  spins(given, start, notices) {
    const { columns, patterns, cue } = given;
    const side = page.controls.sizes.side;
    need(isIndex(columns - 1, side) && typeof cue === "string" && /^[#.?]+$/.test(cue), "the picture");
    need(cue.length % columns === 0 && cue.length / columns <= side, "the size of the picture");
    need(
      hasSize(patterns, "pictures") && patterns.every((one) => isList(one) && typeof one[1] === "string"),
      "pictures",
    );
    need(
      patterns.every(([, picture]) => /^[#.]+$/.test(picture) && picture.length === cue.length),
      "pictures",
    );
    need(
      hasNames(
        patterns.map(([name]) => name),
        "pictures",
      ),
      "names of pictures",
    );
    const order = isOrder(given.order, cue.length) ? given.order : [];
    return { columns, patterns, cue, order, time: heldIndex(given.time, 1e6), ...heldValues("spins", given, start, notices) };
  },

  weights(given) {
    const { heads, queries, keys } = page.views.weights;
    return {
      head: heldIndex(given.head, heads.length),
      query: heldIndex(given.query, queries.length),
      key: heldIndex(given.key, keys.length),
      sort: heldIndex(given.sort, MEASURES.length + 1),
    };
  },

  induction(given, start, notices) {
    need(hasSize(given.tokens, "inductionTokens") && given.tokens.every(isName), "the words");
    need(!given.tokens.includes(START), "the words");
    return { tokens: given.tokens, ...heldValues("induction", given, start, notices) };
  },
};

function heldHead(given, dim, start, notices) {
  need(given !== null && typeof given === "object", "a head");
  const { query, key, value } = given;
  need([query, key, value].every(isMatrix), "the matrices of a head");
  need(
    [query, key, value].every((matrix) => matrix === null || matrix[0].length === dim),
    "the matrices of a head",
  );
  need((query ?? { length: dim }).length === (key ?? { length: dim }).length, "the matrices of a head");
  need((value ?? { length: dim }).length === dim, "the matrices of a head");
  return { ...heldValues("head", given, start, notices), query, key, value };
}
