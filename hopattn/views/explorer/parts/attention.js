// One step of associative recall for every word of a text, and layers of such steps.
//
//     s = sim(K, q)        p = ∇Ψ(s)        h = Vᵀ p        output = ∇Φ(h)
//     similarity           separation       projection      activation

/** h = Σ_j p_j v_j */
function projection(weights, values) {
  const field = zeros(values[0].length);
  weights.forEach((p, j) => {
    if (p !== 0) values[j].forEach((v, i) => (field[i] += p * v));
  });
  return field;
}

/** The words seen through a matrix of the head; null stands for the identity. */
const mapped = (matrix, words) => (matrix ? words.map((x) => product(matrix, x)) : words);

/** Everything that a head computes for a text, `words` being (n, dim). */
function attend(head, words) {
  const [queries, keys, values] = [head.query, head.key, head.value].map((matrix) => mapped(matrix, words));
  const scores = queries.map((q) => scoresOf(head.similarity, q, keys));
  const allowed = scores.map((row, i) =>
    row.map((s, j) => masks[head.mask](i, j, s, rounding(head.similarity, queries[i], keys[j]))),
  );
  const weights = scores.map((row, i) => weightsOf(head, row, allowed[i]));
  const fields = weights.map((row) => projection(row, values));
  return { queries, keys, values, scores, allowed, weights, fields, output: fields.map(activation[head.activation]) };
}

/** One layer: the outputs of its heads are added up, and to the words if there is a residual. */
function layer(heads, words, residual) {
  const traces = heads.map((head) => attend(head, words));
  const output = words.map((_, i) => traces.map((trace) => trace.output[i]).reduce(added));
  return { input: words, heads: traces, output, state: residual ? words.map((x, i) => added(x, output[i])) : output };
}

const LARGEST_STATE = 1e9;

/** The layers one after another, until their states grow without bound. */
function stack(layers, words, residual) {
  const traces = [];
  for (const heads of layers) {
    const trace = layer(heads, traces.length ? traces.at(-1).state : words, residual);
    if (!trace.state.flat().every((x) => Math.abs(x) < LARGEST_STATE)) break;
    traces.push(trace);
  }
  return traces;
}

/** The names of tokens as pictures show them: their₁, dog, their₂. */
const tokenNames = (tokens) =>
  labels(tokens).map((label, i) =>
    label === tokens[i] ? label : tokens[i] + subscript(label.slice(tokens[i].length + 1)),
  );

const subscript = (digits) => [...digits].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");

/** A label for each token: a word that occurs several times is followed by the number of its occurrence. */
function labels(tokens) {
  return tokens.map((token, i) => {
    const before = tokens.slice(0, i).filter((other) => other === token).length;
    return tokens.filter((other) => other === token).length > 1 ? `${token}#${before + 1}` : token;
  });
}
