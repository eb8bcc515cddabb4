// Marks of a picture that can be moved: by dragging with mouse or finger, by picking up with a tap and placing with
// another, and by the arrow keys. A mark has data-id; places are numbers on the two axes.

const DRAG_FROM = 4; // pixels; less is a tap
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const KEY_STEP = 0.05;
const SMALL_KEY_STEP = 0.01; // with the shift key

/**
 * Make the marks of a picture movable.
 *
 * placeOf(event): the place under the pointer. whereIs(id): the place of a mark. moved(id, place): a mark has a new
 * place. dropped(): the movement is over. picked(id or null): a mark was picked up or put down. tapped(place): the
 * plane was tapped while nothing was picked up.
 */
function movable(svg, { placeOf, whereIs, moved, dropped, picked, tapped }) {
  let held = null; // the mark under the pointer: { id, from, offset, dragged }
  let carried = null; // the id of the mark that was picked up by a tap
  const carry = (id) => picked((carried = id));
  const idOf = (event) => event.target.closest?.("[data-id]")?.dataset.id ?? null;

  function down(event) {
    if (event.button !== 0) return;
    const id = idOf(event);
    held = { id, from: [event.clientX, event.clientY], dragged: false };
    if (id === null) return;
    held.offset = difference(whereIs(id), placeOf(event));
    svg.setPointerCapture(event.pointerId);
  }

  function move(event) {
    if (!held || held.id === null) return;
    const way = difference([event.clientX, event.clientY], held.from);
    if (!held.dragged && norm(way) < DRAG_FROM) return;
    held.dragged = true;
    moved(held.id, added(placeOf(event), held.offset));
  }

  function up(event) {
    const { id, dragged, from } = held ?? {};
    held = null;
    if (dragged) dropped();
    else if (from && norm(difference([event.clientX, event.clientY], from)) < DRAG_FROM) tap(id, placeOf(event));
  }

  function tap(id, place) {
    if (carried !== null && id !== carried) {
      moved(carried, place);
      carry(null);
      dropped();
    } else if (id !== null) carry(carried === id ? null : id);
    else tapped?.(place);
  }

  function key(event) {
    const id = idOf(event);
    if (event.key === "Escape") carry(null);
    else if (id !== null && KEYS[event.key]) {
      moved(id, added(whereIs(id), scaled(KEYS[event.key], event.shiftKey ? SMALL_KEY_STEP : KEY_STEP)));
      dropped();
    } else if (id !== null && (event.key === "Enter" || event.key === " ")) carry(carried === id ? null : id);
    else return;
    event.preventDefault();
  }

  set(svg, { onpointerdown: down, onpointermove: move, onpointerup: up, onkeydown: key });
  svg.addEventListener("pointercancel", () => {
    if (held?.dragged) dropped();
    held = null;
  });
}
