// The presets of a view. The one that was shown last stays marked, with "changed" after a setting was changed.

/** What a person looks at, and not what is computed: such values change no preset. */
const LOOKED_AT = ["across", "up", "head", "token", "key", "time", "basins", "damage", "query", "sort"];

/** The computed values of a state as text, by their keys. */
const computedFrom = (own) =>
  new Map(Object.entries(own).flatMap(([key, value]) => (LOOKED_AT.includes(key) ? [] : [[key, JSON.stringify(value)]])));

class Presets {
  /** name: for screen readers. chosen(): what to do besides, once a preset was chosen. */
  constructor(view, name, chosen) {
    Object.assign(this, { view, chosen, number: null });
    this.texts = page.views[view].presets.map(([, preset]) => computedFrom(preset));
    this.list = element("div", { class: "chooser", role: "group", "aria-label": name });
    this.root = element("div", { class: "presets" }, this.list);
  }

  choose(number) {
    const presets = page.views[this.view].presets;
    this.number = (number + presets.length) % presets.length;
    this.chosen?.();
    change(this.view, copy(presets[this.number][1]));
  }

  /** The number of the preset at hand: the one that is shown unchanged, else the last one, else the most similar one. */
  find(own) {
    const texts = computedFrom(own);
    const counts = this.texts.map((preset) => [...preset].filter(([key, text]) => texts.get(key) === text).length);
    const best = counts.indexOf(largest(counts));
    this.changed = counts[best] < texts.size;
    if (!this.changed || this.number === null) this.number = best;
  }

  draw(own) {
    const presets = page.views[this.view].presets;
    this.find(own);
    keyed(
      this.list,
      presets.map(([name]) => name),
      (_, i) => i,
      (_, i) => element("button", { type: "button", onclick: () => this.choose(i) }),
      (node, name, i) => {
        const changed = i === this.number && this.changed;
        setText(node, changed ? phrase`${name} · changed` : name);
        set(node, { "aria-pressed": i === this.number, class: changed ? "changed" : null });
      },
    );
    this.root.hidden = presets.length < 2 && !this.changed;
  }
}
