// s = sim(K, x): how well a cue matches each stored key.

const similarity = {
  dot,

  /** k·x / |k||x|; 0 where either is the zero vector. */
  cosine(cue, key) {
    const lengths = norm(cue) * norm(key);
    return lengths === 0 ? 0 : clamp(dot(cue, key) / lengths, -1, 1);
  },

  /** −|k − x| */
  euclidean: (cue, key) => -norm(difference(cue, key)),

  /** −Σ |k_i − x_i| */
  manhattan: (cue, key) => -sum(difference(cue, key).map(Math.abs)),
};

/** The scores of one cue with each key. */
const scoresOf = (name, cue, keys) => keys.map((key) => similarity[name](cue, key));

// Masks: may query i attend to key j? `score` and the lengths of both serve the rule "nonzero".
const masks = {
  none: () => true,
  causal: (i, j) => j <= i,
  strict: (i, j) => j < i,
  nonzero: (i, j, score, rounding) => Math.abs(score) > rounding,
};

/** The largest rounding error of a score that is 0. */
function rounding(name, cue, key) {
  const lengths = name === "cosine" ? 1 : norm(cue) * norm(key);
  return Number.EPSILON * cue.length * lengths;
}
