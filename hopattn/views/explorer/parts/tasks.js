// Three tasks for each view, each with a tick once it is done. A task is { text, isDone(state, start) }.

/** The word that the result of a word is most like; an empty text where there is none. */
function likest(own, hero) {
  const token = own.tokens.lastIndexOf(hero);
  const result = stack(layersOf(own), statesOfWords(own), own.residual).at(-1)?.state[token];
  const others = own.words.filter(([word]) => word !== hero);
  if (!result || !others.length) return "";
  const cosines = others.map(([, x]) => similarity.cosine(result, x));
  return others[cosines.indexOf(largest(cosines))][0];
}

function attentionTasks(start) {
  const hero = start.tokens[start.token];
  const like = likest(start, hero);
  const isNew = (word) => word !== "" && word !== like;
  const vector = ({ words }) => JSON.stringify(words.find(([word]) => word === hero)?.[1]);
  const share = (own) => {
    const trace = stack(layersOf(own), statesOfWords(own), own.residual).at(-1)?.heads[own.head];
    return largest(trace?.weights[own.tokens.lastIndexOf(hero)] ?? [0]);
  };
  return [
    {
      text: like
        ? phrase`Drag ${hero} until its result is most like another word than ${like}.`
        : phrase`Drag ${hero} until its result is most like another word.`,
      isDone: (own) => vector(own) !== vector(start) && isNew(likest(own, hero)),
    },
    {
      text: phrase`Choose softmax. Which β gives one word more than .9 of ${hero}’s attention?`,
      isDone(own) {
        const { separation: name, beta } = own.heads[own.head];
        return name === "softmax" && beta !== start.heads[0].beta && share(own) > 0.9;
      },
    },
    { text: phrase`Click a cell of the matrix, and check its arithmetic by hand.`, isDone: () => attentionView.tasks.hasRead },
  ];
}

function energyTasks(start) {
  const ends = basinsOf(start, energyView.plane.bounds).ends.length;
  const endOfRecall = (own) => recall(memoryOf(own), own.cue, own.most).path;
  const nearest = (own) => nearestPattern(memoryOf(own).patterns, endOfRecall(own).at(-1)).number;
  const wasMoved = ({ cue }) => JSON.stringify(cue) !== JSON.stringify(start.cue);
  return [
    {
      text: phrase`Drop a cue that is not recalled as ${start.patterns[nearest(start)]?.[0] ?? phrase`nothing`}.`,
      isDone: (own) => wasMoved(own) && nearest(own) !== nearest(start),
    },
    ends > 1
      ? {
          text: phrase`At which β do the ${ends} valleys become fewer? Try ▶.`,
          isDone: (own) => own.beta < start.beta && energyView.valleys < ends,
        }
      : {
          text: phrase`At which β are there two valleys or more?`,
          isDone: (own) => own.beta !== start.beta && energyView.valleys > 1,
        },
    {
      text: phrase`Find a cue or a β for which one step, attention, ends far from the fixed point.`,
      isDone(own) {
        const path = endOfRecall(own);
        const isFar = norm(difference(path.at(-1), path[Math.min(1, path.length - 1)])) > 0.25;
        return isFar && (wasMoved(own) || own.beta !== start.beta);
      },
    },
  ];
}

function spinTasks(start) {
  const first = charactersOf(spinRecall(couplingsOf(start), spinsOf(start.cue), start).state);
  const name = start.patterns.find(([, picture]) => picture === first)?.[0];
  const presets = page.views.spins.presets.map(([, preset]) => preset.cue);
  const isOver = ({ time }) => spinView.parts.trouble.hidden && time >= spinView.moves.length;
  const end = ({ cue, time }) => charactersOf(stateAfter(spinsOf(cue), spinView.moves, time));
  const stays = (own) => end(own) === own.cue;
  const isStored = ({ cue, patterns }) => patterns.some(([, picture]) => picture === cue);
  const hasMore = (own) => own.patterns.length > start.patterns.length && isStored(own) && isOver(own);
  return [
    {
      text: phrase`Damage the cue, and run: how much can go until recall no longer ends on ${name ?? phrase`the same state`}?`,
      isDone: (own) => isOver(own) && !presets.includes(own.cue) && !isStored(own) && end(own) !== first,
    },
    {
      text: phrase`Store more pictures, until a stored one, taken as the cue, does not stay.`,
      isDone: (own) => hasMore(own) && !stays(own),
    },
    {
      text: phrase`Then find a learning rule with which it stays.`,
      isDone: (own) => hasMore(own) && own.rule !== start.rule && stays(own),
    },
  ];
}

function inductionTasks(start) {
  let wasTrapped = false;
  /** Whether a word followed the last one before, and the largest number with which such a word is expected alone. */
  const rightOf = (own) => {
    const result = induce(own);
    const last = result.tokens.length - 1;
    const [followers, winners] = [successorOf(result.tokens, last), expectedWords(result, last)];
    const isRight = winners.length === 1 && followers.includes(winners[0]);
    return { asked: followers.length > 0, right: isRight ? largest(result.part("expected", last, 1)) : 0 };
  };
  return [
    {
      text: phrase`Write a text whose last word came before. Is the right word expected?`,
      isDone: (own) => JSON.stringify(own.tokens) !== JSON.stringify(start.tokens) && rightOf(own).right > 0,
    },
    {
      text: phrase`Choose argmax and the mask causal: what goes wrong? Mend it without another mask.`,
      isDone(own) {
        if (own.mask !== "causal") return false;
        const { asked, right } = rightOf(own);
        wasTrapped ||= asked && right === 0;
        return wasTrapped && right > 0;
      },
    },
    {
      text: phrase`Choose softmax. Which β makes more than .9 of what is expected the right word?`,
      isDone: (own) => own.separation === "softmax" && own.beta !== start.beta && rightOf(own).right > 0.9,
    },
  ];
}

/** Of several heads, two tasks compare them; of one head, two find a cell. */
function weightsTasks(start) {
  const { heads, allowed } = weightsView;
  const seen = heads[0].flatMap((row, i) => row.filter((_, j) => allowed[0][i][j]));
  const isAt = (weight) => (own) => weightsView.tasks.hasRead && heads[0][own.query][own.key] === weight;
  const ofHeads = [
    { text: phrase`Sort the heads: which has the most weight on the first word?`, isDone: (own) => own.sort !== start.sort },
    { text: phrase`Choose another head.`, isDone: (own) => own.head !== start.head },
  ];
  const ofCells = [
    { text: phrase`Click a cell with the largest weight.`, isDone: isAt(largest(seen)) },
    { text: phrase`Click a cell with the smallest weight.`, isDone: isAt(-largest(seen.map((p) => -p))) },
  ];
  const another = {
    text: phrase`Choose another word: which one does it attend to most?`,
    isDone: (own) => own.query !== start.query,
  };
  return [...(heads.length > 1 ? ofHeads : ofCells), ...(heads[0].length > 1 ? [another] : [])];
}

const tasksOf = {
  attention: attentionTasks,
  energy: energyTasks,
  spins: spinTasks,
  induction: inductionTasks,
  weights: weightsTasks,
};

class Tasks {
  constructor(view) {
    this.view = view;
    this.list = element("ol", { class: "tasks" });
    this.root = card("tasks-card", phrase`Try this`, this.list);
    this.forget();
  }

  forget() {
    Object.assign(this, { done: new Set(), tasks: null, hasRead: false });
  }

  /** A task stays done; while something is dragged, nothing is judged. */
  draw(own) {
    if (dragging.active) return;
    const start = startOf(this.view);
    this.tasks ??= tasksOf[this.view](start);
    this.root.hidden = !this.tasks.length;
    this.tasks.forEach((task, i) => {
      if (this.done.has(i) || !task.isDone(own, start)) return;
      this.done.add(i);
      say(phrase`Done: ${task.text}`);
    });
    keyed(
      this.list,
      this.tasks,
      (_, i) => i,
      ({ text }) => element("li", {}, element("span", { class: "box", role: "img" }), element("span", {}, text)),
      (node, _, i) => {
        const isDone = this.done.has(i);
        set(node, { class: isDone ? "done" : null });
        set(node.firstChild, { "aria-label": isDone ? phrase`done` : phrase`not yet done` });
        setText(node.firstChild, isDone ? "✓" : "");
      },
    );
  }
}
