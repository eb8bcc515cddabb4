// The energy of a memory whose values are its keys, and the recall that runs downhill.
//
//     E(x) = ½|x|² − Ψ(K x)          x⁺ = Kᵀ ∇Ψ(K x)
//
// A memory here is { patterns, separation, beta, alpha, n }: dot product and identity activation.

function potentialOf(memory, scores) {
  return separation[memory.separation].potential(scores, memory.beta, memory[ownParameter[memory.separation]]);
}

const energyOf = (memory, x) => 0.5 * dot(x, x) - potentialOf(memory, product(memory.patterns, x));

/** One step of recall: attention of the cue over the patterns. */
function stepOf(memory, x) {
  const scores = product(memory.patterns, x);
  return projection(
    weightsOf(
      memory,
      scores,
      scores.map(() => true),
    ),
    memory.patterns,
  );
}

const largestEntry = (x) => x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

const TOLERANCE = Number.EPSILON ** 0.75; // a smaller change counts as none, as in `memory.recall`
const MOST_STEPS = 1000;
const GROWTH = 2 ** 20;

/** The path of a cue to its fixed point: its states, their energies, and how it ended. */
function recall(memory, cue, most = MOST_STEPS) {
  const stored = Math.max(...memory.patterns.map(largestEntry));
  const path = [cue];
  let [status, scale] = ["limit", Math.max(stored, largestEntry(cue))];
  while (path.length <= most && status === "limit") {
    const before = path.at(-1);
    const after = stepOf(memory, before);
    if (path.length === 1) scale = Math.max(scale, largestEntry(after));
    if (!(largestEntry(after) <= GROWTH * scale)) {
      status = "diverged";
      path.push(before); // a stopped cue repeats its last state
      break;
    }
    path.push(after);
    const size = Math.max(largestEntry(after), stored);
    if (largestEntry(difference(after, before)) <= TOLERANCE * size) status = "converged";
  }
  return { path, energies: path.map((x) => energyOf(memory, x)), status };
}

/** The pattern most like a state, by the cosine, and the cosine; the number is −1 for a zero state. */
function nearestPattern(patterns, state) {
  const cosines = patterns.map((pattern) => similarity.cosine(state, pattern));
  const best = largest(cosines);
  return { number: norm(state) === 0 ? -1 : cosines.indexOf(best), cosine: best };
}
