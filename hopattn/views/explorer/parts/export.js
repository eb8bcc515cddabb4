// What leaves the page: a link, the picture as SVG or PNG, the scenario as TOML.

const PAINT = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "visibility",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
  "stroke-linejoin",
];
const GAP = 24;

/** A copy of a picture that carries its looks in itself, without the marks for fingers and focus. */
function selfContained(svg) {
  const clone = svg.cloneNode(true);
  const [nodes, clones] = [svg, clone].map((root) => [...root.querySelectorAll("*")]);
  nodes.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of PAINT) clones[i].setAttribute(name, style.getPropertyValue(name));
    for (const name of [...clones[i].getAttributeNames()])
      if (/^(class|role|tabindex|aria-|data-)/.test(name)) clones[i].removeAttribute(name);
  });
  nodes.forEach((node, i) => node.classList.contains("reach") && clones[i].remove());
  for (const name of [...clone.getAttributeNames()])
    if (/^(class|role|tabindex|aria-)/.test(name)) clone.removeAttribute(name);
  return clone;
}

/** All pictures of the view below each other, with the title. */
function wholePicture() {
  const pictures = views[state.view].pictures().filter((svg) => svg.getBoundingClientRect().width > 0);
  const boxes = pictures.map((svg) => svg.getBoundingClientRect());
  const width = Math.ceil(Math.max(...boxes.map((box) => box.width))) + 2 * GAP;
  const style = getComputedStyle(document.body);
  const title = shape(
    "text",
    { x: GAP, y: 34, fill: style.color, "font-family": style.fontFamily, "font-size": 18, "font-weight": 600 },
    withQuotes(page.views[state.view].title),
  );
  const root = shape(
    "svg",
    { xmlns: SVG, width },
    shape("title", {}, withQuotes(page.views[state.view].title)),
    shape("rect", { width: "100%", height: "100%", fill: style.backgroundColor }),
    title,
  );
  let y = 34 + GAP;
  pictures.forEach((svg, i) => {
    const clone = set(selfContained(svg), { x: GAP, y, width: boxes[i].width, height: boxes[i].height });
    root.append(clone);
    y += boxes[i].height + GAP;
  });
  return set(root, { height: Math.ceil(y), viewBox: `0 0 ${width} ${Math.ceil(y)}` });
}

const svgText = () => new XMLSerializer().serializeToString(wholePicture());

async function pngBlob() {
  const picture = wholePicture();
  const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}`;
  await image.decode();
  const canvas = element("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function save(blob, ending) {
  const link = element("a", {
    href: URL.createObjectURL(blob),
    download: `${page.views[state.view].name}-${state.view}.${ending}`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copyLink() {
  writeAddress();
  const copied = hasAddress() ? navigator.clipboard?.writeText(location.href) : undefined;
  const done = await copied?.then(
    () => true,
    () => false,
  );
  const text = !hasAddress()
    ? phrase`Save the page as a file: only a file has a link.`
    : done
      ? phrase`The link is copied.`
      : phrase`Copy the link from the address bar.`;
  setText(document.getElementById("message"), text);
  say(text);
  setTimeout(() => setText(document.getElementById("message"), ""), 4000);
}

function connectActions() {
  const actions = {
    link: copyLink,
    svg: () => save(new Blob([svgText()], { type: "image/svg+xml" }), "svg"),
    png: async () => save(await pngBlob(), "png"),
    toml: () => save(new Blob([toml[state.view](state[state.view])], { type: "application/toml" }), "toml"),
    reset,
    theme: () => (setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"), redraw()),
  };
  for (const [id, act] of Object.entries(actions)) document.getElementById(id).addEventListener("click", act);
}

/** On a phone the actions are one menu. */
function connectMenu() {
  const [menu, actions] = ["menu", "actions"].map((id) => document.getElementById(id));
  const open = (isOpen) => {
    set(menu, { "aria-expanded": isOpen });
    actions.classList.toggle("open", isOpen);
  };
  menu.addEventListener("click", () => open(!actions.classList.contains("open")));
  document.addEventListener("keydown", ({ key }) => key === "Escape" && open(false));
  document.addEventListener("pointerdown", ({ target }) => target.closest("#actions, #menu") || open(false));
}
