// Vectors are arrays of numbers; a matrix is an array of rows, (out, in): y = W x.

/** a·b = Σ a_i b_i */
function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

const norm = (a) => Math.hypot(...a);
const sum = (a) => a.reduce((total, x) => total + x, 0);
const mean = (a) => sum(a) / a.length;
const scaled = (a, factor) => a.map((x) => factor * x);
const added = (a, b) => a.map((x, i) => x + b[i]);
const difference = (a, b) => a.map((x, i) => x - b[i]);
const product = (matrix, x) => matrix.map((row) => dot(row, x));
const zeros = (n) => new Array(n).fill(0);
const range = (n) => Array.from({ length: n }, (_, i) => i);
const clamp = (x, least, most) => Math.min(Math.max(x, least), most);

/** The vector of length 1 in the same direction; the zero vector stays as it is. */
function unit(a) {
  const length = norm(a);
  return length === 0 ? a.slice() : scaled(a, 1 / length);
}

/** Each number divided by the sum of all; zeros where the sum is 0. */
function proportions(parts) {
  const total = sum(parts);
  return parts.map((x) => (total === 0 ? 0 : x / total));
}

/** The largest |a − b| / max(1, |b|) of the numbers at the same places; of arrays in arrays too. */
function largestDifference(a, b) {
  if (Array.isArray(a) !== Array.isArray(b)) return Infinity;
  if (Array.isArray(a)) {
    if (a.length !== b.length) return Infinity;
    return a.reduce((most, x, i) => Math.max(most, largestDifference(x, b[i])), 0);
  }
  const own = Math.abs(a - b) / Math.max(1, Math.abs(b));
  return own <= Infinity ? own : Infinity; // NaN counts as infinite
}

/** The language of the page: the forms of its English templates, and whether decimals have a comma. */
const language = { forms: {}, comma: false };

/** A sentence of the page in its language: `{}` stands for each part of the English template, `{1}` for the second. */
function phrase(texts, ...parts) {
  let next = 0;
  const template = texts.join("{}");
  return (language.forms[template] ?? template).replace(/\{(\d*)\}/g, (_, number) => parts[number || next++]);
}

/** A number as a lecture writes it: two decimals, no zero before the point, a true minus sign. */
function shown(x, digits = 2) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "?" : x > 0 ? "∞" : "−∞";
  if (Math.abs(x) >= 1e5) return x.toExponential(1).replace("-", "−").replace("e+", "e");
  const rounded = Number(x.toFixed(digits));
  const text = String(Math.abs(rounded));
  return (rounded < 0 ? "−" : "") + (language.comma ? text.replace(".", ",") : text.replace(/^0\./, "."));
}
