// The text of the attention view: remove the chosen token, add a word of the vocabulary or a new one.

class TextEditor {
  constructor() {
    this.words = element("select", { id: "text-word" });
    this.remove = element("button", { type: "button", onclick: () => this.removeToken() });
    const add = element("button", { type: "button", onclick: () => this.addToken() }, phrase`Add`);
    const label = element("label", { for: "text-word" }, phrase`Word to add`);
    this.root = element(
      "div",
      { class: "row" },
      element("div", { class: "control" }, label, this.words, add),
      this.remove,
    );
    this.name = element("input", { id: "new-word", maxlength: page.controls.sizes.name, autocomplete: "off" });
    const form = element("form", { class: "control", onsubmit: (event) => this.addWord(event) });
    form.append(
      element("label", { for: "new-word" }, phrase`New word`),
      this.name,
      element("button", {}, phrase`Add to the vocabulary`),
    );
    this.newWord = form;
  }

  draw(own, names) {
    keyed(
      this.words,
      own.words,
      ([word]) => word,
      ([word]) => element("option", { value: word }, word),
    );
    setText(this.remove, phrase`Remove ${names[own.token]}`);
    this.remove.disabled = own.tokens.length < 2;
  }

  removeToken() {
    const { tokens, token } = state.attention;
    const kept = tokens.filter((_, i) => i !== token);
    change("attention", { tokens: kept, token: Math.min(token, kept.length - 1), key: 0 });
  }

  addToken() {
    const { tokens } = state.attention;
    if (tokens.length >= page.controls.sizes.tokens) return;
    change("attention", { tokens: [...tokens, this.words.value], token: tokens.length });
    change("attention", { key: strongestKey(tokens.length) });
  }

  /** A new word stands between the axes of the plane. */
  addWord(event) {
    event.preventDefault();
    const { words, axes, across, up } = state.attention;
    const name = this.name.value.trim();
    const known = words.some(([word]) => word === name);
    if (!name || known || words.length >= page.controls.sizes.words) {
      return say(known ? phrase`${name} is a word already.` : phrase`Give the new word a name.`);
    }
    const vector = unit(axes.map((_, i) => (i === across || i === up ? 1 : 0)));
    change("attention", { words: [...words, [name, vector]] });
    this.name.value = "";
    return say(phrase`${name} is in the vocabulary.`);
  }
}
