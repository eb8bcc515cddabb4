// Colours of numbers: 0 is the background, blue above it, orange below, as in the figures.

const colours = { read: null };

const rgbOf = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** The colours of the present theme, from the variables of the style sheet. */
function sheetColours() {
  const theme = document.documentElement.dataset.theme;
  if (colours.read !== theme) {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => rgbOf(style.getPropertyValue(`--${name}`).trim());
    const stops = (name) => [of("paper"), ...[1, 2, 3, 4].map((i) => of(`${name}-${i}`))];
    Object.assign(colours, {
      read: theme,
      above: stops("deep"),
      below: stops("deep-minus"),
      paper: of("paper"),
      ink: of("ink"),
    });
  }
  return colours;
}

/** The colour of a number between −most and most, as [red, green, blue]. */
function colourOf(x, most) {
  const stops = x < 0 ? sheetColours().below : sheetColours().above;
  const place = clamp(Math.abs(x) / most, 0, 1) * (stops.length - 1);
  const i = Math.min(Math.floor(place), stops.length - 2);
  return stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * (place - i)));
}

const cssColour = (rgb) => `rgb(${rgb.join(" ")})`;

const luminance = (rgb) =>
  dot(
    [0.2126, 0.7152, 0.0722],
    rgb.map((c) => (c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4)),
  );

/** Ink or paper, whichever can be read better on a colour. */
function readableOn(rgb) {
  const { ink, paper } = sheetColours();
  const contrast = (other) => {
    const [low, high] = [luminance(rgb), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  return cssColour(contrast(ink) >= contrast(paper) ? ink : paper);
}
