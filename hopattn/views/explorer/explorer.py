"""The interactive page as an object: it shows itself in a notebook, and saves itself as a file."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from hopattn.foundation.boundary import public
from hopattn.foundation.checks import instance, path_of
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.sentences import LANGUAGES, language
from hopattn.results.files import write_over
from hopattn.scenario.loading import Scenario, load_scenario
from hopattn.views.explorer.page import page_of
from hopattn.views.explorer.start import Start, all_started, gives_weights
from hopattn.views.explorer.values import reference_values
from hopattn.views.explorer.weights_start import given_weights_started, is_weights, weights_started

MOST_BYTES_OF_WEIGHTS = 2_000_000
"""The largest size of a page of given weights."""
HEIGHT = 900
"""The height of the page in a notebook, in pixels."""


@dataclass(frozen=True, repr=False)
class Explorer:
    """An interactive page. A notebook shows it in a frame.

    name: the name of its scenario, or of its file of weights. html: the page, one HTML text that loads nothing.
    left_out: the variants of the scenario that the page cannot show, each with the reason.
    """

    name: str
    html: str
    left_out: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Explorer({self.name!r}, {len(self.html.encode()):,} bytes)"

    def _repr_html_(self) -> str:
        frame = f'title="{escape(self.name)}" style="width:100%;height:{HEIGHT}px;border:0"'
        return f'<iframe srcdoc="{escape(self.html)}" {frame}></iframe>'

    def save(self, file: Any) -> Path:
        """Write the page, whole or not at all; a file of that name is replaced. Gives its path.

        Raises `InvalidInput` for a path that is not a plain file, and `CannotDo` if it cannot be written.
        """
        path = path_of(file, "file")
        write_over(path, self.html.encode())
        return path


@public
def explore(
    scenario: Any = "bank", *, tokens: Any = None, mask: Any = None, array: str | None = None, lang: str = "en"
) -> Explorer:
    """The interactive page of a scenario: words, patterns, pictures and angles that can be moved.

    Parameters
    ----------
    scenario
        a `Scenario`, the path of a scenario file, or the name of one that comes with hopattn. The page opens in the
        view of the scenario; the other views show scenarios that come with hopattn. A scenario whose heads have given
        weights or scores opens in the view of weights alone.
    tokens
        of weights, the words of the text, or a pair: those of the queries and those of the keys (None: those that a
        .npz holds as `tokens`, or else their numbers, from 1).
    mask : of a file of queries and keys, the name of a rule such as "causal" (None: none).
    array : of a file with several arrays, the name of the weights, or those of queries, keys and values, as in "q,k,v".
    lang : "en" or "de", the language of the page; names and titles stay.

    Raises
    ------
    InvalidInput
        for a scenario that no view can show, one whose page would have more than 350 kB, weights that are not numbers
        of such a shape, more than 64 words or 2 MB of them, and tokens or a mask that do not fit.

    Notes
    -----
    Instead, weights of attention of any model, `(n_queries, n_keys)`, `(n_heads, n_queries, n_keys)` or `(n_layers,
    n_heads, n_queries, n_keys)`, or an array for each layer: arrays, or the path of a file of them (.npy, .npz,
    .safetensors, .csv). The page then shows each head as arcs, as a matrix and in numbers, with the mean weight on the
    first word, the word before and the word itself. A file with queries, keys and values alone (q, k and v, as for
    `hopattn compare`) gives the weights of softmax attention with β = 1/√dim. What a masked array masks is hidden.

    Examples
    --------
    >>> import hopattn as ha
    >>> page = ha.explore("bank")
    >>> page.html.startswith("<!DOCTYPE html>")
    True
    """
    if instance(lang, str, "lang", "a text") not in (known := ("en", *LANGUAGES)):
        raise InvalidInput(f"lang: {unknown(lang, known)}")
    with language(lang):
        return _explored(scenario, tokens, mask, array, lang)


def _explored(scenario: Any, tokens: Any, mask: Any, array: str | None, lang: str) -> Explorer:
    """The page in the language that is set."""
    if is_weights(scenario):
        return _of_weights(weights_started(scenario, tokens, mask, array), lang)
    for name, value in (("tokens", tokens), ("mask", mask), ("array", array)):
        if value is not None:
            raise InvalidInput(f"{name}: goes with given weights; a scenario has its own")
    loaded = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    if gives_weights(loaded):
        return _of_weights(given_weights_started(loaded), lang)
    starts = all_started(loaded)
    own = next(iter(starts.values()))
    return Explorer(loaded.name, page_of(starts, reference_values(starts), lang), own.left_out)


def _of_weights(given: Start, lang: str) -> Explorer:
    """The page of given weights, which has no other view."""
    page = page_of({given.view: given}, reference_values({given.view: given}), lang, MOST_BYTES_OF_WEIGHTS)
    return Explorer(given.about["name"], page, given.left_out)
