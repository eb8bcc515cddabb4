// The scenario as TOML that `hopattn run` accepts, with the numbers of the page as what must come out.

/** A text in quotes; JSON's escapes are TOML's, but for the character 127. */
const quoted = (text) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

function tomlValue(value) {
  if (typeof value === "string") return quoted(value);
  if (isList(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${quoted(key)} = ${tomlValue(one)}`)
      .join(", ")} }`;
  }
  return String(value);
}

const lines = (table) =>
  Object.entries(table)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${/^\w+$/.test(key) ? key : quoted(key)} = ${tomlValue(value)}`);

/** The beginning of a file. */
function heading(view, kind) {
  const { title, source, name } = page.views[view];
  const table = {
    schema: 1,
    title: title.trim(),
    source: source.trim(),
    note: `Changed from the scenario '${name}' with hopattn explore.`,
    kind,
  };
  return lines(table).join("\n");
}

const block = (name, table) => `\n${name}\n${lines(table).join("\n")}\n`;

/** A separation with its own parameter; β stands beside it. */
function separationTable({ separation: name, ...settings }) {
  const own = ownParameter[name];
  return own ? { name, [own]: settings[own] } : name;
}

const vocabulary = (axes, words, magnitude) =>
  block("[vocabulary]", { axes, magnitude }) + block("[vocabulary.words]", Object.fromEntries(words));

/** A name that no word has. */
const freeName = (name, taken) => (taken.includes(name) ? freeName(`${name} `.trimEnd() + "'", taken) : name);

const toml = {
  attention(own) {
    const traces = stack(layersOf(own), statesOfWords(own), own.residual);
    const isUnit = own.words.every(([, x]) => Math.abs(norm(x) - 1) <= 1e-9);
    const head = ({ query, key, value, similarity: sim, beta, mask, activation: act, ...rest }) =>
      block("[[layer.head]]", {
        query: query ?? undefined,
        key: key ?? undefined,
        value: value ?? undefined,
        similarity: sim,
        separation: separationTable(rest),
        beta,
        mask,
        activation: act,
      });
    const layers = range(own.steps).map(() => block("[[layer]]", { residual: own.residual }) + own.heads.map(head).join(""));
    const grows = traces.length < own.steps; // beyond the numbers that the page shows: there is nothing to expect
    const expected = { at: labels(own.tokens)[own.token], is: traces.at(-1)?.state[own.token], within: 1e-9 };
    return [
      heading("attention", "attention"),
      vocabulary(own.axes, own.words, isUnit ? "unit" : "free"),
      ...(own.axes.length > 1 && own.across !== own.up
        ? [block("[figure]", { axes: [own.axes[own.across], own.axes[own.up]] })]
        : []),
      block("[input]", { tokens: own.tokens }),
      ...layers,
      ...(grows ? [] : [block("[[expect]]", expected)]),
    ].join("");
  },

  energy(own) {
    const cue = freeName(
      "cue",
      own.patterns.map(([name]) => name),
    );
    const { path } = recall(memoryOf(own), own.cue, own.most);
    const memory = {
      patterns: own.patterns.map(([name]) => name),
      separation: separationTable(own),
      beta: own.beta,
      activation: "identity",
      max_steps: own.most,
    };
    const expected = { at: cue, is: path.at(-1), within: 1e-9 };
    return (
      heading("energy", "memory") +
      vocabulary(own.axes, [...own.patterns, [cue, own.cue]], "free") +
      block("[memory]", memory) +
      block("[input]", { tokens: [cue] }) +
      block("[[expect]]", expected)
    );
  },

  spins(own) {
    const names = own.patterns.map(([name]) => name);
    const cue = freeName("cue", names);
    const model = {
      name: "hopfield",
      rule: own.rule,
      self_coupling: SELF_COUPLING.includes(own.rule) && own.self_coupling,
    };
    const inOrder = own.update === "sequence" && own.order.length > 0;
    const ties = own.ties === "up" ? { ties: "up" } : {};
    const update =
      own.update === "sync"
        ? { name: "sync", ...ties }
        : own.temperature > 0
          ? { name: "glauber", temperature: own.temperature }
          : { name: "async", order: inOrder ? own.order : own.update, ...ties };
    const rowsOf = (picture) =>
      range(picture.length / own.columns).map((row) => picture.slice(row * own.columns, (row + 1) * own.columns));
    const drawn = Object.fromEntries(own.patterns.map(([name, picture]) => [name, rowsOf(picture)]));
    const axes = range(own.cue.length).map((i) => String(i + 1));
    const certain = own.update !== "random" && own.temperature === 0;
    const end = certain
      ? block("[[expect]]", { at: cue, is: spinRecall(couplingsOf(own), spinsOf(own.cue), own).state })
      : "";
    return (
      heading("spins", "memory") +
      block("[pictures.drawn]", drawn) +
      vocabulary(axes, [[cue, spinsOf(own.cue)]], "free") +
      block("[memory]", { patterns: names, model, update, max_steps: own.sweeps }) +
      block("[input]", { tokens: [cue] }) +
      end
    );
  },

  induction(own) {
    const { tokens, words, part } = induce(own);
    const shared = { separation: own.separation, beta: own.beta, mask: own.mask };
    const head = (table) => block("[[layer]]", {}) + block("[[layer.head]]", table);
    return [
      heading("induction", "attention"),
      block("[spaces]", { position: ["cos", "sin"], word: words, previous: "like word", expected: "like word" }),
      block("[positions]", { turn: own.turn }),
      block("[input]", { tokens }),
      head({
        query: { from: "position" },
        key: { from: "position", rotate: 1 },
        value: { from: "word", to: "previous" },
        ...shared,
        activation: own.activation,
      }),
      head({ query: { from: "word" }, key: { from: "previous" }, value: { from: "word", to: "expected" }, ...shared }),
      block("[[expect]]", {
        at: labels(tokens).at(-1),
        in: "expected",
        is: part("expected", tokens.length - 1, 1),
        within: 1e-9,
      }),
    ].join("");
  },
};
