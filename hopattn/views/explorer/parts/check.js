// The page checks its own arithmetic against values that NumPy computed. A difference above the limit is shown.

const LARGEST_DIFFERENCE = 1e-9;

const statesOfWords = ({ tokens, words }) => tokens.map((token) => new Map(words).get(token));
const spinsOf = (characters) => [...characters].map((c) => ({ "#": 1, ".": -1, "?": 0 })[c]);
const couplingsOf = ({ rule, self_coupling, patterns }) =>
  learning[rule](
    patterns.map(([, picture]) => spinsOf(picture)),
    self_coupling,
  );
const memoryOf = (state) => ({ ...state, patterns: state.patterns.map(([, vector]) => vector) });
const layersOf = ({ heads, steps }) => range(steps).map(() => heads);

/** What each formula computes from what a case gives, by the names of its expected values. */
const formulas = {
  head: ({ head, words }) => attend(head, words),
  memory: ({ states, ...memory }) => ({
    energies: states.map((x) => energyOf(memory, x)),
    steps: states.map((x) => stepOf(memory, x)),
  }),
  couplings({ rule, self_coupling, patterns, state }) {
    const couplings = learning[rule](patterns, self_coupling);
    const once = { update: "sequence", order: [], ties: "keep", temperature: 0, seed: 0, sweeps: 1 };
    return {
      fields: range(state.length).map((i) => fieldOf(couplings, state, i)),
      energy: spinEnergy(couplings, state),
      swept: spinRecall(couplings, state, once).state,
    };
  },
  attention: (state) => ({ state: stack(layersOf(state), statesOfWords(state), state.residual).at(-1).state }),
  energy(state) {
    const { path, energies } = recall(memoryOf(state), state.cue, state.most);
    return { state: path.at(-1), energies: [energies[0], energies.at(-1)] };
  },
  spins(state) {
    const [couplings, cue] = [couplingsOf(state), spinsOf(state.cue)];
    const end = spinRecall(couplings, cue, state).state;
    return { state: end, energies: [spinEnergy(couplings, cue), spinEnergy(couplings, end)] };
  },
  weights: () => ({
    measures: page.views.weights.heads.map((head) => measuresOf(head.map((row) => row.map((p) => p ?? 0)))),
  }),
  induction(state) {
    const { tokens, part } = induce(state);
    return { expected: tokens.map((_, i) => part("expected", i, 1)) };
  },
};

/** The part of a result that is expected: the first energies, or the results of the last words. */
function partOf(name, computed, expected) {
  if (name === "energies") return computed.slice(0, expected.length);
  return name === "state" ? computed.slice(-expected.length) : computed;
}

/** The largest difference of a case. */
function differenceOf({ formula, given, preset, expected }) {
  const computed = formulas[formula](given ?? page.views[formula].presets[preset][1]);
  const differences = Object.entries(expected).map(([name, value]) =>
    largestDifference(partOf(name, computed[name], value), value),
  );
  return Math.max(...differences);
}

/** The cases that differ, and the largest difference of all. */
function selfCheck(cases) {
  const differences = cases.map(differenceOf);
  const wrong = cases.filter((_, i) => !(differences[i] <= LARGEST_DIFFERENCE)).map(({ formula }) => formula);
  return { wrong: [...new Set(wrong)], largest: Math.max(...differences), count: cases.length };
}
