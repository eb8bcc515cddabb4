"""The endings of files' names: of arrays, of tables, and of other programs, with what to do with their files."""

from pathlib import Path

ARRAYS, TABLES = (".npy", ".npz", ".safetensors"), (".csv", ".tsv", ".txt")
ENDINGS = (*ARRAYS, *TABLES)
"""The endings of files of numbers."""
NAMED = (".npz", ".safetensors")
"""The endings of files whose arrays have names."""
MAPPED = (".npy", ".safetensors")
"""The endings of files whose arrays can be mapped into memory, however large they are."""
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp")
CHECKPOINTS, PICKLES = (".pt", ".pth", ".ckpt", ".bin"), (".pkl", ".pickle")
SHEETS = (".xlsx", ".xls", ".ods", ".numbers")
_PICTURE = (
    "is an image; `[pictures]` of a scenario reads a .png; or write its pixels as one pattern with "
    "`np.save({npy!r}, np.array(PIL.Image.open({file!r}).convert('L'), float).reshape(1, -1))`"
)
_CHECKPOINT = (
    "holds Python objects, which run code when they are read; save its arrays as .npz or .safetensors, or one with "
    "`np.save({npy!r}, torch.load({file!r}, weights_only=True)['NAME'].numpy())`"
)
_PICKLE = (
    "holds Python objects, which run code when they are read; if you trust it, write its array with "
    "`np.save({npy!r}, np.load({file!r}, allow_pickle=True))`"
)
_OTHERS = {
    **dict.fromkeys(IMAGES, _PICTURE),
    **dict.fromkeys(CHECKPOINTS, _CHECKPOINT),
    **dict.fromkeys(PICKLES, _PICKLE),
    **dict.fromkeys(SHEETS, "is a workbook; save its sheet as CSV, without a heading"),
    ".mat": "holds variables of MATLAB; write one with `np.save({npy!r}, scipy.io.loadmat({file!r})['NAME'])`",
    **dict.fromkeys(
        (".h5", ".hdf5"), "is of HDF5; write a set of it with `np.save({npy!r}, h5py.File({file!r})['NAME'][:])`"
    ),
    ".parquet": "is a table of Parquet; write it with `np.save({npy!r}, pandas.read_parquet({file!r}).to_numpy())`",
    **dict.fromkeys((".gz", ".bz2", ".xz", ".zip", ".tar", ".7z"), "is packed; unpack it first"),
}


def is_of_numbers(file: str | Path) -> bool:
    """Whether a name has the ending of a file of arrays or of a table."""
    return Path(file).suffix.lower() in ENDINGS


def foreign(file: Path) -> str:
    """What a file of another program is, by its ending, and what to do with it; empty for any other ending."""
    return _OTHERS.get(file.suffix.lower(), "").format(file=file.name, npy=f"{file.stem}.npy")
