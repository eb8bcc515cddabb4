"""The files of a checkpoint: its configuration in `config.json`, and its arrays in `.safetensors` files."""

import json
from pathlib import Path
from typing import Any

from hopattn.foundation.array_headers import StoredArray, arrays_in_safetensors, named, opened
from hopattn.foundation.errors import InvalidInput, listed, shortened

CONFIG, ARRAYS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
MOST_BYTES_OF_JSON = 2**24  # of a file in JSON
_SAVE = "`transformers.{model}.from_pretrained({here!r}{options}).save_pretrained('NEW')` writes it"
OTHERS = {
    ("adapter_model.safetensors", "adapter_model.bin"): (
        "an adapter of another model",
        "join both: `peft.AutoPeftModelForCausalLM.from_pretrained({here!r}).merge_and_unload()` is the whole model",
    ),
    (".gguf",): ("of GGUF", _SAVE.replace("{options}", ", gguf_file={file!r}") + ", with the package gguf"),
    (".00.pth",): ("in the authors' own form", "take the files of the same model for `transformers`"),
    (".bin", ".pt", ".pth", ".ckpt", ".pkl"): ("pickles, which may run programs and are never loaded", _SAVE),
    (".h5",): ("of TensorFlow", _SAVE.replace("{options}", ", from_tf=True") + ", with transformers < 5"),
    (".msgpack",): ("of Flax", _SAVE.replace("{options}", ", from_flax=True") + ", with transformers < 5"),
    (".onnx",): ("of ONNX, graphs without the arrays' names", "take the files of the model before it was exported"),
    (".safetensors",): ("other arrays", f"a model is {ARRAYS}, or several files and their index, {INDEX}"),
}
"""The files of models by the ends of their names, the likeliest source first: what they are, and what to do."""


def table_in(file: Path) -> dict[str, Any]:
    """The table in a file in JSON; raises `InvalidInput` for anything else, and for a name that stands twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInput(f"{named(file)}: '{shortened(twice)}' is given twice; expected one")
        return table

    if file.name == CONFIG and not file.exists():
        where = f"in '{shortened(file.parent)}', which says what the arrays are"
        raise InvalidInput(f"there is no file '{CONFIG}' {where}")
    with opened(file) as stream:
        text = stream.read(MOST_BYTES_OF_JSON + 1)
    if len(text) > MOST_BYTES_OF_JSON:
        raise InvalidInput(f"{named(file)} is larger than {MOST_BYTES_OF_JSON // 2**20} MiB")
    try:
        table = json.loads(text.decode("utf-8"), object_pairs_hook=once)
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{named(file)} is not a file in JSON: {shortened(error, 100)}") from None
    if not isinstance(table, dict):
        raise InvalidInput(f"{named(file)}: got {shortened(table)}; expected a table")
    return table


def arrays_file(folder: Path) -> Path:
    """The file that says which arrays a folder holds: the index, or `model.safetensors` itself."""
    return index if (index := folder / INDEX).exists() else folder / ARRAYS


def arrays_in(folder: Path) -> dict[str, StoredArray]:
    """The arrays of a folder by name: of `model.safetensors`, or of the files that its index names.

    Nothing but the headers is read. Raises `InvalidInput` for a folder without such a file, for a file that is missing,
    truncated or damaged, and where the index and the files name different arrays.
    """
    file = arrays_file(folder)
    return _by_index(file) if file.name == INDEX else arrays_in_safetensors(file)


def require_arrays(folder: Path) -> None:
    """Raise `InvalidInput` for a folder that holds a model in files of other programs alone, with what to do."""
    if arrays_file(folder).exists():
        return
    if snapshots := sorted(path.name for path in folder.glob("snapshots/*") if path.is_dir()):
        inner = Path(folder.name, "snapshots", snapshots[-1])
        raise InvalidInput(f"'{shortened(folder)}' is a cache of the Hub; give the folder in it, '{shortened(inner)}'")
    files = sorted(path.relative_to(folder) for path in (*folder.iterdir(), *folder.glob("onnx/*")) if path.is_file())
    for endings, (what, cure) in OTHERS.items():
        if names := [str(path) for path in files if path.name.lower().endswith(endings)]:
            advice = cure.format(model=_class_of(folder), here=str(folder), file=names[0], options="")
            fault = f"'{shortened(folder)}' has no {ARRAYS}, but {listed(names)}: {what}"
            raise InvalidInput(f"{fault}; {advice}")


def has_adapter(folder: Path) -> bool:
    """Whether the folder holds an adapter beside the model."""
    return (folder / "adapter_config.json").exists()


def _class_of(folder: Path) -> str:
    """The class of `transformers` that a folder's configuration names, so that its head for logits is kept."""
    try:
        name = table_in(folder / CONFIG)["architectures"][0]
    except (InvalidInput, LookupError, TypeError):
        name = ""
    return name if isinstance(name, str) and name.isidentifier() else "AutoModelForCausalLM"


def _by_index(index: Path) -> dict[str, StoredArray]:
    places = table_in(index).get("weight_map")
    if not isinstance(places, dict) or not all(isinstance(place, str) for place in places.values()):
        raise InvalidInput(f"{named(index)}: expected 'weight_map', the name of a file for each array")
    arrays: dict[str, StoredArray] = {}
    for name in dict.fromkeys(places.values()):
        if Path(name).name != name:
            raise InvalidInput(f"{named(index)}: got the file '{shortened(name)}'; expected a name without a folder")
        file_arrays = arrays_in_safetensors(index.parent / name)
        names = {array for array, place in places.items() if place == name}
        if gaps := sorted(names - file_arrays.keys()):
            raise InvalidInput(f"{named(index)}: says that '{shortened(name)}' holds {listed(gaps)}, which it does not")
        if extras := sorted(file_arrays.keys() - names):
            raise InvalidInput(
                f"{named(index)}: '{shortened(name)}' holds {listed(extras)}, which the index does not name"
            )
        arrays |= file_arrays
    return arrays
