"""Drawings as a reader sees them: their words, the numbers that they show, and where each text is written.

This file alone knows the parts of matplotlib that a drawing consists of.
"""

import math
import warnings

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.text import Text

import hopattn as ha
from hopattn.figures.style import DPI, SIZE, styled
from hopattn.scenario.loading import parse
from tests.runs import result_of

TOUCH = 2.0
"""The pixels by which two texts may share their boxes, and a text may leave its sheet: letters have room in them."""


def of_text(text, title="odd"):
    """The result of the text of a scenario without its first lines."""
    return ha.run(parse(f'schema = 1\ntitle = "{title}"\nsource = "ours"\n{text}', "odd.toml", "odd"))


def words(tokens, vectors=None, rest="[[layer]]\n[[layer.head]]\n", axes=("x", "y"), seed=5):
    """The text of an attention of these words, at given vectors or at random ones."""
    rng = np.random.default_rng(seed)
    vectors = vectors or {word: rng.normal(size=len(axes)).round(2).tolist() for word in dict.fromkeys(tokens)}
    head = f'kind = "attention"\n[vocabulary]\nmagnitude = "free"\naxes = {[*axes]}\n[vocabulary.words]\n'
    lines = "".join(f'"{word}" = {vector}\n' for word, vector in vectors.items())
    return f"{head}{lines}[input]\ntokens = {[*tokens]}\n{rest}"


def drawing(thing, name=None, **options):
    """The figure that `ha.plot` draws of a thing, or of the scenario of this name; every warning is an error."""
    figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ha.plot(result_of(thing) if isinstance(thing, str) else thing, name, ax=figure, style="slide", **options)
    return figure


def panel(thing, name=None, **options):
    """The axes of one's own that `ha.plot` draws a thing into."""
    ax = Figure(figsize=SIZE, layout="constrained").subplots()
    assert ha.plot(result_of(thing) if isinstance(thing, str) else thing, name, ax=ax, **options) == (ax.figure, (ax,))
    return ax


def texts(part):
    """The texts of a figure or of axes, each on one line, in the order in which they were made."""
    found = [text for text in part.findobj(Text) if text.get_visible()]
    return [" ".join(text.get_text().split()) for text in found if text.get_text().strip()]


def says(part, *words):
    """The words that stand in no text of a figure or of axes: an empty list, if it says all."""
    written = texts(part)
    return [word for word in words if not any(word in text for text in written)]


def texts_in(ax):
    """The texts in a panel, without those of its axes and its title."""
    return [" ".join(text.get_text().split()) for text in ax.texts if text.get_text().strip()]


def ticks(axis):
    return [tick.get_text() for tick in axis.get_ticklabels(which="both") if tick.get_text()]


def note(figure):
    """What is said below a figure."""
    titles = [legend.get_title().get_text() for legend in figure.legends]
    return " ".join(" ".join([*titles, figure.get_supxlabel()]).split())


def keys(part):
    """The names of the signs: in the legends of a figure, or of axes."""
    legends = part.legends if isinstance(part, Figure) else filter(None, [part.get_legend()])
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def curves(part):
    """The points of each line and each row of marks, `(n, 2)`."""
    lines = [line for ax in part.axes for line in ax.lines] if isinstance(part, Figure) else part.lines
    return [line.get_xydata() for line in lines if len(line.get_xdata())]


def cells(part):
    """The numbers of each table of cells and of each picture."""
    return [np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan) for image in part.findobj(AxesImage)]


class Pen(RendererAgg):
    """What draws a figure, and keeps of each line of text what is written, its corners, its size and its colour."""

    def __init__(self, figure):
        super().__init__(*(round(float(side) * figure.dpi) for side in figure.get_size_inches()), figure.dpi)
        self.lines = []

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        width, height, descent = self.get_text_width_height_descent(s, prop, ismath)
        turn = math.radians(angle)
        along, up = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
        low = np.array([x, self.height - y]) - descent * up
        corners = np.array([low, low + width * along, low + width * along + height * up, low + height * up])
        self.lines.append((s, corners, prop.get_size_in_points(), gc.get_rgb()[:3]))
        super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)


def drawn_with(figure, style=None):
    """The pen that drew a figure, in its style: ticks that are computed anew have its distances."""
    pen = Pen(figure)
    if style is None:
        figure.draw(pen)
    else:
        with styled(style):
            figure.draw(pen)
    return pen


def faults_of(pen):
    """The texts that the edges of a figure cut, and the pairs of which one covers another."""
    lines = [line for line in pen.lines if line[0].strip()]
    sheet = np.array([pen.width, pen.height])
    cut = [text for text, at, *_ in lines if (at < -TOUCH).any() or (at > sheet + TOUCH).any()]
    boxes = np.array([at for _, at, *_ in lines]).reshape(-1, 4, 2)
    low, high = boxes.min(axis=1), boxes.max(axis=1)
    near = np.triu(np.all((low[:, None] < high) & (low < high[:, None]), axis=-1), 1)
    return cut + [(lines[i][0], lines[j][0]) for i, j in np.argwhere(near) if _meet(boxes[i], boxes[j])]


def _meet(one, other):
    """Whether two rectangles share more than a margin: no side of either has both on its two sides."""
    for box in (one, other):
        for side in (box[1] - box[0], box[3] - box[0]):
            length = float(np.hypot(*side)) or 1.0
            a, b = one @ side / length, other @ side / length
            if a.max() - TOUCH <= b.min() or b.max() - TOUCH <= a.min():
                return False
    return True


def margin_of(pen):
    """The least distance of ink from an edge of the sheet, in pixels."""
    pixels = np.asarray(pen.buffer_rgba())[..., :3].astype(int)
    inked = (np.abs(pixels - pixels[0, 0]) > 24).any(axis=2)
    rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
    return min(rows[0], columns[0], len(pixels) - 1 - rows[-1], pixels.shape[1] - 1 - columns[-1])


def bands(ax):
    """Of each filled band the places of its corners, `(n,)`, and its lowest and highest number at each of them."""
    found = []
    for part in (part for part in ax.collections if isinstance(part, PolyCollection)):
        points = part.get_paths()[0].vertices
        at = np.unique(points[:, 0])
        rows = [points[points[:, 0] == x, 1] for x in at]
        found.append((at, np.array([row.min() for row in rows]), np.array([row.max() for row in rows])))
    return found


def map_of(ax):
    """The numbers of a map, `(up, across)`, and the edges of its cells along both axes."""
    (mesh,) = (part for part in ax.collections if isinstance(part, QuadMesh))
    corners = mesh.get_coordinates()
    return mesh.get_array(), corners[0, :, 0], corners[:, 0, 1]
