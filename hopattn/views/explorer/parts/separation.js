// p = ∇Ψ(s): from scores to weights. Ψ(s) = β⁻¹ Ψ₁(βs), so p = ∇Ψ₁(βs).
// Each separation has weights(s, β, own) and, where it has one, potential(s, β, own); `own` is its own parameter.

const largest = (scores) => scores.reduce((most, s) => Math.max(most, s), -Infinity);

/** β(s − max s): nothing overflows. */
function shifted(scores, beta) {
  const most = largest(scores);
  return scores.map((s) => beta * (s - most));
}

/** p = (βs)ⁿ⁻¹ and Ψ₁ = Σ (βs)ⁿ / n, for a whole n. */
const powerWeights = (scores, beta, n) => scores.map((s) => (beta * s) ** (n - 1));
const powerPotential = (scores, beta, n) => sum(scores.map((s) => (beta * s) ** n)) / (n * beta);
const rectified = (scores) => scores.map((s) => Math.max(s, 0));

const separation = {
  softmax: {
    weights: (scores, beta) => proportions(shifted(scores, beta).map(Math.exp)),
    potential: (scores, beta) => largest(scores) + Math.log(sum(shifted(scores, beta).map(Math.exp))) / beta,
  },
  identity: {
    weights: scaled,
    potential: (scores, beta) => 0.5 * beta * dot(scores, scores),
  },
  sparsemax: {
    weights: (scores, beta) => entmaxWeights(scores, beta, 2),
    potential: (scores, beta) => entmaxPotential(scores, beta, 2),
  },
  entmax: { weights: entmaxWeights, potential: entmaxPotential },
  power: { weights: powerWeights, potential: powerPotential },
  rectified_power: {
    weights: (scores, beta, n) => powerWeights(rectified(scores), beta, n),
    potential: (scores, beta, n) => powerPotential(rectified(scores), beta, n),
  },
  argmax: {
    weights: (scores) => proportions(shifted(scores, 1).map((s) => (s === 0 ? 1 : 0))),
    potential: (scores) => largest(scores),
  },
  proportional: { weights: (scores) => proportions(rectified(scores)) }, // the gradient of no potential
};

/** p_μ = [(α−1)βs_μ − t]₊^(1/(α−1)), with the t at which they sum to 1. */
function entmaxWeights(scores, beta, alpha) {
  if (scores.length === 0) return [];
  const reach = entmaxReach(scores, beta, alpha);
  return proportions(reach.above.map((x) => x ** (1 / (alpha - 1))));
}

/** Ψ₁ in its dual form: τ + Σ p^α / α, with τ = (t + 1/α) / (α−1). */
function entmaxPotential(scores, beta, alpha) {
  const { above, t } = entmaxReach(scores, beta, alpha);
  const powers = sum(above.map((x) => x ** (alpha / (alpha - 1))));
  return largest(scores) + ((t + 1 / alpha) / (alpha - 1) + powers / alpha) / beta;
}

/** The t in [−1, 0] at which Σ [x − t]₊^(1/(α−1)) = 1, by bisection, and [x − t]₊; x = (α−1)β(s − max s). */
function entmaxReach(scores, beta, alpha) {
  const x = scaled(shifted(scores, beta), alpha - 1);
  const over = (t) => x.map((value) => Math.max(value - t, 0));
  let [low, high] = [-1, 0];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (sum(over(middle).map((value) => value ** (1 / (alpha - 1)))) > 1) low = middle;
    else high = middle;
  }
  return { above: over(low), t: low };
}

/** The own parameter of a separation, by its key among the settings. */
const ownParameter = { entmax: "alpha", power: "n", rectified_power: "n" };

/** The weights of one row of scores. Keys that may not be attended to have weight 0; so has a row without any. */
function weightsOf(settings, scores, allowed) {
  const open = range(scores.length).filter((j) => allowed[j]);
  const own = settings[ownParameter[settings.separation]];
  const weights = separation[settings.separation].weights(
    open.map((j) => scores[j]),
    settings.beta,
    own,
  );
  const row = zeros(scores.length);
  open.forEach((j, k) => (row[j] = weights[k]));
  return row;
}
