"""Tables for pandas and labelled arrays for xarray, with attributes that say where the numbers come from."""

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.version import __version__

VERSIONS = {"hopattn": __version__, "numpy": np.__version__}
"""The versions that numbers depend on."""


def imported(library: str, method: str) -> Any:
    """A library that hopattn does not need otherwise; raises `InvalidInput`, which names the method, without it."""
    try:
        return import_module(library)
    except ImportError:
        raise InvalidInput(f"{method}: {library} is not installed: pip install {library}") from None


def data_frame(rows: Sequence[Mapping[str, Any]], index: Iterable[str], attributes: Mapping[str, Any]) -> Any:
    """A pandas DataFrame of rows by name, with some columns as its index, and attributes in `attrs`."""
    frame = imported("pandas", "to_pandas").DataFrame(list(rows))
    frame = frame.set_index(list(index)) if list(index) else frame
    frame.attrs = dict(attributes)
    return frame


def dataset(
    arrays: Mapping[str, tuple[Sequence[str], Any]], coordinates: Mapping[str, Any], attributes: Mapping[str, Any]
) -> Any:
    """An xarray Dataset: for each array its dims and values; coordinates: the labels along a dim.

    The attributes are as `netcdf_attributes` gives them.
    """
    return imported("xarray", "to_xarray").Dataset(dict(arrays), dict(coordinates), netcdf_attributes(attributes))


def netcdf_attributes(attributes: Mapping[str, Any]) -> dict[str, str | int | float]:
    """Attributes that netCDF can save: one that is neither a text nor a number becomes JSON text."""
    return {
        name: value if type(value) in (str, int, float) else json.dumps(value) for name, value in attributes.items()
    }
