// Pictures of spins: foreground is 1 (on), background −1 (off), grey between them unknown, as in the figures.
// The cue can be painted with mouse, finger and keys.

const REVERSED = { "#": ".", ".": "#", "?": "#" };
const SPIN_WORDS = { "#": "on", ".": "off", "?": "unknown" };
const SPIN_NAMES = { on: phrase`on`, off: phrase`off`, unknown: phrase`unknown` };

class Pixels {
  /** paint(i, character): a pixel was painted; without it the picture is only shown. */
  constructor(name, paint) {
    this.paint = paint;
    this.name = name;
    this.rows = shape("g", paint ? { role: "grid", "aria-label": name } : {});
    this.svg = shape(
      "svg",
      { class: paint ? "pixels painted" : "pixels", role: paint ? "group" : "img", "aria-label": name },
      this.rows,
    );
    this.active = 0;
    if (paint)
      set(this.svg, {
        onpointerdown: (event) => this.down(event),
        onpointermove: (event) => this.move(event),
        onpointerup: () => (this.colour = null),
        onkeydown: (event) => this.key(event),
      });
    if (paint) this.svg.addEventListener("pointercancel", () => (this.colour = null));
  }

  pixelAt(event) {
    const box = this.svg.getBoundingClientRect();
    const scale = Math.min(box.width / this.columns, box.height / this.height); // the picture is in the middle of its box
    const x = (event.clientX - box.left - box.width / 2) / scale + this.columns / 2;
    const y = (event.clientY - box.top - box.height / 2) / scale + this.height / 2;
    const inside = x >= 0 && y >= 0 && x < this.columns && y < this.height;
    return inside ? Math.floor(y) * this.columns + Math.floor(x) : null;
  }

  down(event) {
    const i = this.pixelAt(event);
    if (i === null) return;
    this.svg.setPointerCapture(event.pointerId);
    this.colour = REVERSED[this.characters[i]];
    this.brush(i);
  }

  move(event) {
    const i = this.colour ? this.pixelAt(event) : null;
    if (i !== null && this.characters[i] !== this.colour) this.brush(i);
  }

  brush(i) {
    this.active = i;
    this.characters = this.characters.slice(0, i) + this.colour + this.characters.slice(i + 1);
    this.paint(this.characters);
  }

  key(event) {
    const way = KEYS[event.key];
    if (way) {
      const [row, column] = [Math.floor(this.active / this.columns) - way[1], (this.active % this.columns) + way[0]];
      if (row < 0 || column < 0 || row >= this.height || column >= this.columns) return event.preventDefault();
      this.active = row * this.columns + column;
      this.draw(this.characters, this.columns);
      this.svg.querySelector('[tabindex="0"]').focus();
    } else if (event.key === " " || event.key === "Enter") {
      this.colour = REVERSED[this.characters[this.active]];
      this.brush(this.active);
      this.colour = null;
    } else return undefined;
    return event.preventDefault();
  }

  /** marked: the number of a neuron with a frame, −1 for none. */
  draw(characters, columns, marked = -1) {
    const height = characters.length / columns;
    Object.assign(this, { characters, columns, height, active: Math.min(this.active, characters.length - 1) });
    set(this.svg, { viewBox: `-0.5 -0.5 ${columns * 20 + 1} ${height * 20 + 1}`, style: null });
    this.svg.style.aspectRatio = `${columns} / ${height}`;
    const cell = this.paint ? { role: "gridcell" } : {};
    keyed(
      this.rows,
      range(height),
      (row) => row,
      () => shape("g", this.paint ? { role: "row" } : {}),
      (line, row) =>
        keyed(
          line,
          range(columns),
          (column) => column,
          () => shape("rect", { ...cell, width: 20, height: 20 }),
          (node, column) => {
            const i = row * columns + column;
            const colour = SPIN_WORDS[characters[i]];
            set(node, { x: 20 * column, y: 20 * row, class: `${colour}${i === marked ? " marked" : ""}` });
            if (this.paint)
              set(node, {
                tabindex: i === this.active ? 0 : -1,
                "aria-label": phrase`row ${row + 1}, column ${column + 1}: ${SPIN_NAMES[colour]}`,
              });
          },
        ),
    );
    if (!this.paint)
      set(this.svg, {
        "aria-label": phrase`${this.name}: ${[...characters].filter((c) => c === "#").length} of ${characters.length} pixels on`,
      });
  }
}

const charactersOf = (spins) => spins.map((x) => (x > 0 ? "#" : x < 0 ? "." : "?")).join("");

/** A part of the pixels reversed; which ones, the seed decides. */
function damaged(characters, share, seed) {
  const chosen = new Set(
    shuffled(characters.length, randomNumbers(seed)).slice(0, Math.round(share * characters.length)),
  );
  return [...characters].map((c, i) => (chosen.has(i) ? REVERSED[c] : c)).join("");
}

/** The left half unknown; a middle column stays. */
const withoutLeft = (characters, columns) =>
  [...characters].map((c, i) => (i % columns < Math.floor(columns / 2) ? "?" : c)).join("");
