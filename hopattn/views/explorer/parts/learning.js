// Learning rules: from patterns of ±1 to couplings W = scale · counts, W[i][j] from neuron j to neuron i.
// Hebb's and Gardner's counts are whole numbers, so that a field of 0 is exactly 0. The other rules round: a field of up
// to 2⁻⁴⁰ N max |W| counts as 0.

/** Σ_μ ξ_i ξ_j */
function outerSums(rows) {
  return rows[0].map((_, i) => rows[0].map((_, j) => rows.reduce((total, row) => total + row[i] * row[j], 0)));
}

const withDiagonal = (matrix, kept) => matrix.map((row, i) => row.map((w, j) => (i === j && !kept ? 0 : w)));

const rounded = ({ counts, scale }) => {
  const most = largest(counts.flat().map(Math.abs));
  return { counts, scale, rounding: 2 ** -40 * counts.length * scale * most };
};

/** The rules that can keep self-couplings. */
const SELF_COUPLING = ["hebb", "covariance", "pseudo_inverse"];

const learning = {
  /** W = (1/N) Σ ξξᵀ */
  hebb: (rows, own = false) => ({ counts: withDiagonal(outerSums(rows), own), scale: 1 / rows[0].length }),

  /** Hebb's rule for ξ − a, divided by v, with a the mean and v the variance of all entries. */
  covariance(rows, own = false) {
    const a = mean(rows.flat());
    const apart = rows.map((row) => row.map((x) => x - a));
    const { counts, scale } = learning.hebb(apart, own);
    return rounded({ counts, scale: scale / (mean(apart.flat().map((x) => x * x)) || 1) });
  },

  /** The projection on the patterns. */
  pseudo_inverse: (rows, own = false) => rounded({ counts: withDiagonal(outerSums(orthonormal(rows)), own), scale: 1 }),

  /** W_ij ← W_ij + (1/N)(ξ_i ξ_j − ξ_i h_ji − h_ij ξ_j), h_ij = Σ_{k≠i,j} W_ik ξ_k, pattern by pattern. */
  storkey(rows) {
    const n = rows[0].length;
    const counts = range(n).map(() => zeros(n));
    for (const x of rows) {
      const fields = product(counts, x);
      const h = counts.map((row, i) => row.map((w, j) => fields[i] - w * x[j]));
      const change = (i, j) => (i === j ? 0 : (x[i] * x[j] - x[i] * h[j][i] - h[i][j] * x[j]) / n);
      const changes = range(n).map((i) => range(n).map((j) => change(i, j)));
      changes.forEach((row, i) => row.forEach((w, j) => (counts[i][j] += w)));
    }
    return rounded({ counts, scale: 1 });
  },

  /** W_i ← W_i + (1/N) ξ_i ξ for each pattern and neuron with ξ_i h_i ≤ 0, from Hebb's rule on; W is not symmetric. */
  perceptron(rows) {
    const { counts, scale } = learning.hebb(rows);
    for (let sweep = 0; sweep < MOST_SWEEPS_OF_LEARNING; sweep++) {
      if (!rows.map((x) => corrected(counts, x)).some(Boolean)) return { counts, scale };
    }
    throw new Error(phrase`the perceptron rule cannot learn all these patterns; store fewer`);
  },
};

const MOST_SWEEPS_OF_LEARNING = 1000;

/** Correct the neurons that a pattern finds unstable, in place; says whether there were any. */
function corrected(counts, x) {
  const unstable = product(counts, x).map((field, i) => x[i] * field <= 0);
  unstable.forEach((wrong, i) => {
    if (wrong) x.forEach((value, j) => (counts[i][j] += i === j ? 0 : x[i] * value));
  });
  return unstable.some(Boolean);
}

/** Orthonormal rows that span the patterns; an error names the first that depends on those before it. */
function orthonormal(rows) {
  const basis = [];
  rows.forEach((row, number) => {
    const without = (x) => basis.reduce((rest, own) => difference(rest, scaled(own, dot(own, rest))), x);
    const rest = without(without(row)); // twice, against rounding
    if (norm(rest) <= 1e-10 * norm(row)) {
      throw new Error(phrase`picture ${number + 1} depends on those before it; leave it out`);
    }
    basis.push(unit(rest));
  });
  return basis;
}
