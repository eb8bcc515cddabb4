// The arithmetic of one weight, as a lecture writes it: similarity, separation, projection, activation.

const MOST_TERMS = 6;

const STAGES = {
  similarity: phrase`similarity`,
  separation: phrase`separation`,
  projection: phrase`projection`,
  activation: phrase`activation`,
};
const paragraph = (name, ...parts) =>
  element("p", {}, element("b", {}, term(name, STAGES[name])), element("span", {}, ...parts));
const coloured = (kind, text) => element("span", { class: kind }, text);
const vectorText = (x) =>
  x.length > MOST_TERMS
    ? `(${x
        .slice(0, MOST_TERMS)
        .map((v) => shown(v))
        .join(phrase`, `)}${phrase`, `}…)`
    : `(${x.map((v) => shown(v)).join(phrase`, `)})`;
const factor = (x) => (x < 0 ? `(${shown(x)})` : shown(x));

/** Terms with a plus between them; of many, those that are not 0 and count most. */
function termList(terms) {
  const some =
    terms.length <= MOST_TERMS
      ? terms
      : terms
          .filter(({ size }) => Math.abs(size) > 5e-3)
          .sort((a, b) => Math.abs(b.size) - Math.abs(a.size))
          .slice(0, MOST_TERMS);
  const nodes = some.flatMap(({ nodes }, i) => [...(i ? [" + "] : []), ...nodes]);
  if (some.length < terms.length) nodes.push(nodes.length ? " + …" : "0");
  return nodes;
}

function similarityLine(trace, names, i, j, head) {
  const [q, k] = [trace.queries[i], trace.keys[j]];
  const result = ` = ${shown(trace.scores[i][j])}`;
  const [query, key] = [coloured("query", names[i]), coloured("key", names[j])];
  if (head.similarity === "euclidean") return paragraph("similarity", "−|", key, " − ", query, "|", result);
  if (head.similarity === "manhattan") return paragraph("similarity", "−Σ|", key, " − ", query, "|", result);
  const terms = q.map((x, d) => ({
    size: x * k[d],
    nodes: [coloured("query", factor(x)), " × ", coloured("key", factor(k[d]))],
  }));
  const pair = head.similarity === "cosine" ? ["cos(", query, ", ", key, ")"] : [query, " · ", key];
  const lengths = ` / (${shown(norm(q))} × ${shown(norm(k))})`;
  const sumOfTerms = head.similarity === "cosine" ? ["(", ...termList(terms), ")", lengths] : termList(terms);
  return paragraph("similarity", ...pair, " = ", ...sumOfTerms, result);
}

function separationLine(trace, names, i, j, head) {
  if (!trace.allowed[i][j])
    return paragraph(
      "separation",
      phrase`${names[i]} may not attend to ${names[j]}: the mask "${head.mask}" gives it no weight`,
    );
  const open = trace.scores[i].filter((_, k) => trace.allowed[i][k]);
  const [s, p] = [shown(trace.scores[i][j]), coloured("weight", shown(trace.weights[i][j]))];
  const beta = shown(head.beta, 3);
  const rule = head.separation.replaceAll("_", " ");
  if (head.separation === "identity")
    return paragraph("separation", `β × ${factor(trace.scores[i][j])} = ${beta} × ${factor(trace.scores[i][j])} = `, p);
  if (head.separation === "softmax" && open.length <= 4) {
    const power = (x) => `e^(${beta} × ${shown(x)})`;
    return paragraph("separation", `${power(trace.scores[i][j])} / (${open.map(power).join(" + ")}) = `, p);
  }
  return paragraph(
    "separation",
    phrase`${rule} of β × (${open
      .slice(0, MOST_TERMS)
      .map((x) => shown(x))
      .concat(open.length > MOST_TERMS ? "…" : [])
      .join(phrase`, `)}) with β = ${beta}: ${s} gets `,
    p,
  );
}

function projectionLine(trace, names, i) {
  const terms = trace.weights[i]
    .map((p, k) => ({ size: p, nodes: [coloured("weight", factor(p)), " ", coloured("value", names[k])] }))
    .filter((_, k) => trace.allowed[i][k]);
  const text = terms.length ? termList(terms) : [phrase`nothing to attend to: 0`];
  return paragraph("projection", "h = ", ...text, " = ", vectorText(trace.fields[i]));
}

function activationLine(step, trace, names, i, head, residual) {
  const output =
    head.activation === "identity"
      ? "h"
      : phrase`${head.activation.replaceAll("_", " ")} of h = ${vectorText(trace.output[i])}`;
  if (step.heads.length > 1)
    return paragraph(
      "activation",
      phrase`x⁺ = ${output}; all ${step.heads.length} heads together: `,
      coloured("value", vectorText(step.state[i])),
    );
  if (!residual) return paragraph("activation", phrase`x⁺ = ${output}, instead of the word`);
  return paragraph(
    "activation",
    `x⁺ = ${output}; `,
    coloured("query", names[i]),
    " + x⁺ = ",
    coloured("value", vectorText(step.state[i])),
  );
}

/** The four formulas for query i and key j of a step. */
function working({ step, head, number, names, i, j, residual }) {
  const trace = step.heads[number];
  return [
    similarityLine(trace, names, i, j, head),
    separationLine(trace, names, i, j, head),
    projectionLine(trace, names, i),
    activationLine(step, trace, names, i, head, residual),
  ];
}
