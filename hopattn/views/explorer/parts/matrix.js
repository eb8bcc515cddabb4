// A matrix of weights: a row for each query, a column for each key, numbers in the cells where there is room.

const ROOM_FOR_NUMBERS = 30;
const LARGEST_CELL = 58;

class Matrix {
  /** choose(i, j): a cell was chosen. */
  constructor(name, choose) {
    this.choose = choose;
    this.columns = shape("g", { class: "columns", "aria-hidden": true });
    this.rows = shape("g", { role: "grid", "aria-label": name });
    this.svg = shape("svg", { class: "matrix", role: "group", "aria-label": name }, this.columns, this.rows);
    set(this.svg, { onclick: (event) => this.pickAt(event.target), onkeydown: (event) => this.key(event) });
    this.svg.addEventListener("focusin", (event) => this.pickAt(event.target));
  }

  pickAt(target) {
    const cell = target.closest?.("[data-cell]");
    if (cell) this.choose(...cell.dataset.cell.split(" ").map(Number));
  }

  key(event) {
    const cell = event.target.closest?.("[data-cell]");
    if (!cell || !KEYS[event.key]) return;
    const [i, j] = cell.dataset.cell.split(" ").map(Number);
    const [right, up] = KEYS[event.key];
    const next = this.svg.querySelector(`[data-cell="${i - up} ${j + right}"]`);
    next?.focus();
    event.preventDefault();
  }

  /** weights: (n, m); allowed: false where masked; chosen: [i, j]. */
  draw(queries, keys, weights, allowed, chosen) {
    const box = sizeOf(this.svg.parentElement).width;
    if (!box) return; // hidden
    const longest = Math.max(...queries.map(textWidth));
    const room = box / keys.length > 16; // for names
    const left = !room ? 2 : Math.min(longest + 12, box / 3);
    const right = room ? Math.min(0.6 * longest, 60) - 8 : 2;
    const cell = Math.min(LARGEST_CELL, (box - left - right) / keys.length);
    const widest = Math.max(...keys.map(textWidth));
    const turn = widest < cell - 2 ? 0 : cell >= ROOM_FOR_NUMBERS ? -45 : -70;
    const top = !room ? 2 : 12 + (turn ? Math.min(widest, box / 3) * Math.sin((-turn * Math.PI) / 180) + 8 : rem());
    const most = Math.max(1, ...weights.flat().map(Math.abs));
    const layout = { left, top, cell, most, turn, numbers: cell >= ROOM_FOR_NUMBERS };
    const size = [box, Math.ceil(top + cell * queries.length + 2)];
    set(this.svg, { viewBox: `0 0 ${size.join(" ")}`, width: size[0], height: size[1] });
    this.drawColumns(keys, layout, chosen[1]);
    keyed(
      this.rows,
      queries,
      (_, i) => i,
      () => shape("g", { role: "row" }, shape("text", { class: "key", role: "rowheader" })),
      (row, query, i) =>
        this.drawRow(row, { query, keys, i, weights: weights[i], allowed: allowed[i], chosen }, layout),
    );
  }

  drawColumns(keys, { left, top, cell, turn }, chosen) {
    const some = left > 2 ? keys : [];
    keyed(
      this.columns,
      some,
      (_, j) => j,
      () => shape("text"),
      (node, key, j) => {
        const [x, y] = [left + cell * (j + 0.5), top - 8];
        set(node, {
          transform: `translate(${turn ? x + 5 : x} ${y}) rotate(${turn})`,
          "text-anchor": turn ? "start" : "middle",
          class: j === chosen ? "key chosen" : "key",
        });
        setText(node, key);
      },
    );
  }

  drawRow(row, { query, keys, i, weights, allowed, chosen }, { left, top, cell, most, numbers }) {
    const header = row.firstChild;
    set(header, {
      x: left - 8,
      y: top + cell * (i + 0.5) + 5,
      "text-anchor": "end",
      class: i === chosen[0] ? "query chosen" : "query",
    });
    setText(header, left > 2 ? query : "");
    while (row.children.length > keys.length + 1) row.lastChild.remove();
    weights.forEach((p, j) => {
      const node = row.children[j + 1] ?? row.appendChild(createCell(i, j));
      const own = i === chosen[0] && j === chosen[1];
      const rgb = allowed[j] ? colourOf(p, most) : sheetColours().paper;
      set(node, {
        transform: `translate(${(left + cell * j).toFixed(1)} ${(top + cell * i).toFixed(1)})`,
        tabindex: own ? 0 : -1,
        class: `${allowed[j] ? "open" : "masked"}${own ? " chosen" : ""}`,
        "aria-label": allowed[j]
          ? phrase`${query} attends to ${keys[j]}: ${shown(p)}`
          : phrase`${query} may not attend to ${keys[j]}`,
      });
      set(node.firstChild, { width: cell - 1, height: cell - 1, fill: cssColour(rgb), rx: cell < 14 ? 0 : 3 });
      set(node.lastChild, { x: cell / 2, y: cell / 2 + 5 });
      node.lastChild.style.fill = readableOn(rgb);
      setText(node.lastChild, !numbers ? "" : allowed[j] ? shown(p) : "·");
    });
  }
}

const createCell = (i, j) =>
  shape(
    "g",
    { role: "gridcell", "data-cell": `${i} ${j}` },
    shape("rect"),
    shape("text", { "text-anchor": "middle", "aria-hidden": true }),
  );
