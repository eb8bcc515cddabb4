// The controls of a view, made from the table `controls.json`: a choice, a switch, or a slider with a number.

const SLIDER_STEPS = 1000;

/** The place of a number on its slider, and the number at a place. */
function sliderOf({ least, most, step, slider }) {
  if (slider !== "logarithm") return { min: least, max: most, step, toPlace: (x) => x, toNumber: (place) => place };
  const ratio = Math.log(most / least);
  return {
    min: 0,
    max: SLIDER_STEPS,
    step: 1,
    toPlace: (x) => Math.round((SLIDER_STEPS * Math.log(x / least)) / ratio),
    toNumber: (place) => {
      const x = Number((least * Math.exp((ratio * place) / SLIDER_STEPS)).toPrecision(3));
      return clamp(step ? Math.round(x) : x, least, most);
    },
  };
}

/** The number nearest to a wish that a control can have; the present one where the wish is not a number. */
function held({ least, most, step }, wish, present) {
  if (!Number.isFinite(wish)) return present;
  return clamp(step === 1 ? Math.round(wish) : wish, least, most);
}

class Controls {
  /** view: a table of controls; keys: those that are made; values(): the state; change(key, value). */
  constructor(view, keys, values, change) {
    this.table = page.controls[view];
    this.keys = keys;
    this.values = values;
    this.change = change;
    this.root = element(
      "div",
      { class: "controls" },
      ...keys.map((key) => this.create(`${view}-${key}`, key, this.table[key])),
    );
  }

  create(id, key, control) {
    const label = element("label", { for: id }, control.label);
    const named = control.term ?? key;
    const about = named in page.controls.terms ? named : null;
    const row = element("div", { class: "control", "data-control": key, "data-term": about }, label);
    if (control.choices) {
      const options = control.choices.map((choice) =>
        element("option", { value: choice }, choice.replaceAll("_", " ")),
      );
      row.append(element("select", { id, onchange: (event) => this.change(key, event.target.value) }, ...options));
    } else if (control.switch) {
      row.prepend(
        element("input", { id, type: "checkbox", onchange: (event) => this.change(key, event.target.checked) }),
      );
      row.classList.add("switch");
    } else row.append(...this.createNumber(id, key, control));
    return row;
  }

  createNumber(id, key, control) {
    const { min, max, step, toNumber } = sliderOf(control);
    const give = (x) => this.give(key, held(control, x, this.number(key)));
    return [
      element("input", {
        id,
        type: "range",
        min,
        max,
        step,
        oninput: (event) => give(toNumber(Number(event.target.value))),
      }),
      element("input", {
        type: "number",
        "aria-label": phrase`${control.label}, as a number`,
        min: control.least,
        max: control.most,
        step: "any",
        onchange: (event) => give(event.target.valueAsNumber),
      }),
    ];
  }

  /** The number of a control; that of an inverse control is one over the other's. */
  number(key) {
    const { inverse } = this.table[key];
    return inverse ? 1 / this.values()[inverse] : this.values()[key];
  }

  give(key, x) {
    const { inverse } = this.table[key];
    if (!inverse) return this.change(key, x);
    return this.change(inverse, held(this.table[inverse], 1 / x, this.values()[inverse]));
  }

  draw() {
    this.keys.forEach((key, i) => {
      const [row, control, values] = [this.root.children[i], this.table[key], this.values()];
      row.hidden = Boolean(control.for && !control.for.includes(values.separation));
      const [input, number] = row.querySelectorAll("input, select");
      if (control.choices) setValue(input, values[key]);
      else if (control.switch) input.checked = values[key];
      else {
        const x = this.number(key);
        setValue(input, sliderOf(control).toPlace(x));
        set(input, { "aria-valuetext": shown(x, 3) });
        setValue(number, Number(x.toPrecision(4)), true);
      }
    });
  }
}

/** A choice among names that change, such as axes. */
function picker(id, label, choose) {
  const select = element("select", { id, onchange: (event) => choose(Number(event.target.value)) });
  const root = element("div", { class: "control", "data-control": id }, element("label", { for: id }, label), select);
  const draw = (names, chosen) => {
    keyed(
      select,
      names,
      (_, i) => i,
      (_, i) => element("option", { value: i }),
      (node, text) => setText(node, text),
    );
    setValue(select, chosen);
  };
  return { root, draw };
}

/** A table of numbers to type: one row for each vector, one column for each axis. */
class NumberTable {
  constructor(name, change) {
    this.change = change;
    this.head = element("tr");
    this.body = element("tbody");
    this.root = element(
      "div",
      { class: "numbers", tabindex: 0, role: "region", "aria-label": name },
      element("table", {}, element("thead", {}, this.head), this.body),
    );
  }

  draw(axes, vectors) {
    keyed(
      this.head,
      ["", ...axes],
      (_, i) => i,
      (_, i) => element(i ? "th" : "td", i ? { scope: "col" } : {}),
      (node, text) => setText(node, text),
    );
    keyed(
      this.body,
      vectors,
      ([name]) => name,
      ([name]) => element("tr", {}, element("th", { scope: "row" }, name)),
      (row, [name, vector]) => {
        while (row.children.length > axes.length + 1) row.lastChild.remove();
        axes.forEach((axis, i) => this.drawCell(row, name, axis, i, vector[i]));
      },
    );
  }

  drawCell(row, name, axis, i, x) {
    if (!row.children[i + 1]) {
      const give = (event) =>
        this.change(
          name,
          i,
          held(
            { least: -page.controls.sizes.number, most: page.controls.sizes.number },
            event.target.valueAsNumber,
            null,
          ),
        );
      row.append(element("td", {}, element("input", { type: "number", step: 0.05, onchange: give })));
    }
    const input = row.children[i + 1].firstChild;
    set(input, { "aria-label": `${name}, ${axis}` });
    setValue(input, Number(x.toFixed(3)), true);
  }
}
