// Spins of ±1 with couplings: h = W x, x⁺ = sgn(h), E(x) = −½ xᵀW x. An entry 0 in a cue says "unknown".

/** A field that is no larger than the rounding of the couplings is 0. */
const withoutRounding = (field, { rounding = 0 }) => (Math.abs(field) <= rounding ? 0 : field);

const fieldOf = (couplings, x, i) => withoutRounding(couplings.scale * dot(couplings.counts[i], x), couplings);

/** The field of the other neurons, without the neuron's coupling to itself. */
function localField(couplings, x, i) {
  const { counts, scale } = couplings;
  return withoutRounding(scale * (dot(counts[i], x) - counts[i][i] * x[i]), couplings);
}

const spinEnergy = (couplings, x) => -0.5 * couplings.scale * dot(x, product(couplings.counts, x));

/** m_μ = (1/N) Σ ξ_i x_i: 1 for the pattern itself, −1 for its reverse. */
const overlap = (pattern, x) => dot(pattern, x) / x.length;

/** A neuron takes the side of its field; a field of 0 leaves it as it is, or with ties "up" makes it 1. */
const alignedSpin = (field, spin, ties) => (field === 0 ? (ties === "up" ? 1 : spin) : Math.sign(field));

/** The probability of +1 at a temperature: 1 / (1 + exp(−2h/T)). */
const probabilityUp = (field, temperature) => 0.5 * (1 + Math.tanh(field / temperature));

/** Numbers from 0 to below 1 that depend on the seed alone (mulberry32). */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The numbers 0 … n−1 in random order. */
function shuffled(n, random) {
  const order = range(n);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** All updates of a recall, one entry each: the neurons that changed, and their new spins.
 *  update: "sequence" and "random" are one neuron after another, "sync" all at once. order: the numbers of the neurons
 *  in sequence, from 1; none is 1, 2, 3 … */
function spinRecall(couplings, cue, { update, order, ties, temperature, seed, sweeps }) {
  const random = randomNumbers(seed);
  const moves = [];
  let [x, before, status] = [cue.slice(), null, "limit"];
  for (let sweep = 0; sweep < sweeps && status === "limit"; sweep++) {
    const start = x.slice();
    if (update === "sync") moves.push(stepTogether(couplings, x, { temperature, random, ties }));
    else sweepOneByOne(couplings, x, { update, order, ties, temperature, random, moves });
    const same = (a, b) => b !== null && temperature === 0 && largestDifference(a, b) === 0;
    if (same(x, start)) status = "converged";
    else if (update === "sync" && same(x, before)) status = "cycle";
    before = start;
  }
  return { moves, status, state: x };
}

function nextSpin(field, spin, temperature, random, ties) {
  if (temperature === 0) return alignedSpin(field, spin, ties);
  return random() < probabilityUp(field, temperature) ? 1 : -1;
}

/** One neuron after another, each with the new spins of those before it; x is changed in place. */
function sweepOneByOne(couplings, x, { update, order, ties, temperature, random, moves }) {
  const sequence = order.length ? order.map((number) => number - 1) : range(x.length);
  for (const i of update === "random" ? shuffled(x.length, random) : sequence) {
    const spin = nextSpin(localField(couplings, x, i), x[i], temperature, random, ties);
    moves.push({ neuron: i, changes: spin === x[i] ? [] : [[i, spin]] });
    x[i] = spin;
  }
}

/** All neurons at once; x is changed in place. */
function stepTogether(couplings, x, { temperature, random, ties }) {
  const after = x.map((spin, i) => nextSpin(fieldOf(couplings, x, i), spin, temperature, random, ties));
  const changes = range(x.length)
    .filter((i) => after[i] !== x[i])
    .map((i) => [i, after[i]]);
  after.forEach((spin, i) => (x[i] = spin));
  return { neuron: -1, changes };
}

/** The state after the first moves of a recall. */
function stateAfter(cue, moves, time) {
  const x = cue.slice();
  for (const { changes } of moves.slice(0, time)) for (const [i, spin] of changes) x[i] = spin;
  return x;
}
