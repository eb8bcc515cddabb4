// The induction head of two layers: "their dog … their" leads to "dog".
// A vector has four parts: position (a point on the circle), word (one-hot), previous, expected.

const START = "<start>";

/** The words of the text, with the start token before them if there is one. */
const inductionTokens = ({ tokens, start }) => (start ? [START, ...tokens] : tokens);

/** Cosine and sine of an angle in degrees, exact at quarter turns. */
function cosSinDegrees(degrees) {
  const quarters = Math.round((degrees % 360) / 90);
  const rest = (((degrees % 360) - 90 * quarters) * Math.PI) / 180;
  const [cos, sin] = [Math.cos(rest), Math.sin(rest)];
  return [
    [cos, sin],
    [-sin, cos],
    [-cos, -sin],
    [sin, -cos],
  ][((quarters % 4) + 4) % 4];
}

/** The slices of a vector, the different words, and the vectors of the text. */
function encoded(settings) {
  const tokens = inductionTokens(settings);
  const words = [...new Set(tokens)];
  const n = words.length;
  const parts = { position: [0, 2], word: [2, 2 + n], previous: [2 + n, 2 + 2 * n], expected: [2 + 2 * n, 2 + 3 * n] };
  const vectors = tokens.map((token, place) => [
    ...cosSinDegrees(place * settings.turn),
    ...words.map((word) => (word === token ? 1 : 0)),
    ...zeros(2 * n),
  ]);
  return { tokens, words, parts, vectors };
}

/** The rows of the identity that read a part of a vector. */
function reading([first, end], dim) {
  return range(end - first).map((i) => range(dim).map((j) => (j === first + i ? 1 : 0)));
}

/** The matrix that reads one part and writes it to another of the same size. */
function moving([first, end], [to], dim) {
  return range(dim).map((i) =>
    range(dim).map((j) => (i >= to && i < to + end - first && j === first + i - to ? 1 : 0)),
  );
}

/** Both layers, each with one head. The key of the first is turned by one position: it meets the query behind it. */
function inductionLayers(settings, parts, dim) {
  const [cos, sin] = cosSinDegrees(settings.turn);
  const [x, y] = reading(parts.position, dim);
  const turned = [difference(scaled(x, cos), scaled(y, sin)), added(scaled(x, sin), scaled(y, cos))];
  const shared = { similarity: "dot", separation: settings.separation, beta: settings.beta, mask: settings.mask };
  const first = { ...shared, activation: settings.activation, query: [x, y], key: turned };
  const second = { ...shared, activation: "identity", query: reading(parts.word, dim) };
  return [
    [{ ...first, value: moving(parts.word, parts.previous, dim) }],
    [{ ...second, key: reading(parts.previous, dim), value: moving(parts.word, parts.expected, dim) }],
  ];
}

/** Everything that the two layers compute. */
function induce(settings) {
  const { tokens, words, parts, vectors } = encoded(settings);
  const traces = stack(inductionLayers(settings, parts, vectors[0].length), vectors, true);
  const part = (name, i, of) => traces[of].state[i].slice(...parts[name]);
  return { tokens, words, parts, vectors, traces, part };
}
