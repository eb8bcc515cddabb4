"""Arrays in files: what is mapped is what was written, and what cannot be used is refused in one sentence."""

import numpy as np
import pytest
from safetensors.numpy import save_file

import hopattn as ha
from hopattn.foundation.array_files import stored_vectors
from hopattn.foundation.errors import InvalidInput
from tests.each import each

ROWS = np.random.default_rng(0).normal(size=(5, 3))


def written(tmp_path, ending, array=ROWS):
    path = tmp_path / f"keys{ending}"
    if ending == ".npy":
        np.save(path, array)
    else:
        save_file({"keys": array}, path, metadata={"made": "by hand"})
    return path


@pytest.mark.parametrize("ending", [".npy", ".safetensors"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_a_file_gives_the_array_that_was_written(tmp_path, ending, dtype):
    found = ha.mapped(written(tmp_path, ending, ROWS.astype(dtype)))
    assert isinstance(found, np.memmap) and not found.flags.writeable
    assert found.dtype == dtype
    assert np.array_equal(found, ROWS.astype(dtype))


@pytest.mark.parametrize("ending", [".npy", ".safetensors"])
def test_a_memory_of_a_file_is_the_memory_of_its_array(tmp_path, ending):
    path = written(tmp_path, ending)
    cue = [0.3, -0.2, 1.0]
    for given in (path, str(path), ha.mapped(path)):
        memory = ha.Memory(given, beta=2)
        assert np.array_equal(memory.step(cue), ha.Memory(ROWS, beta=2).step(cue))
        assert memory.keys.base is not None  # nothing was copied
        assert np.array_equal(memory.recall(cue).state, ha.Memory(ROWS, beta=2).recall(cue).state)
    assert np.array_equal(ha.Memory(path, path, beta=2).step(cue), ha.Memory(ROWS, ROWS, beta=2).step(cue))


def test_one_of_several_arrays_is_named(tmp_path):
    path = tmp_path / "two.safetensors"
    save_file({"keys": ROWS, "values": 2 * ROWS}, path)
    assert np.array_equal(ha.mapped(path, "values"), 2 * ROWS)
    for name, message in (
        (None, "holds 2 arrays; say by `name` which is meant: keys, values"),
        ("valus", "did you mean 'values'"),
    ):
        with pytest.raises(ha.InvalidInput, match=message):
            ha.mapped(path, name)


@each("ending", [".npy", ".safetensors"])
@each("left", [0, 7, 20, 60, 120, -1])
def test_a_truncated_file_is_refused(tmp_path, ending, left):
    path = written(tmp_path, ending)
    data = path.read_bytes()
    path.write_bytes(data[:left])
    with pytest.raises(ha.InvalidInput, match="truncated"):
        ha.mapped(path)


def test_what_cannot_be_used_is_refused(tmp_path):
    written(tmp_path, ".npy")
    np.save(tmp_path / "whole.npy", np.arange(6).reshape(2, 3))
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    save_file({"keys": np.arange(6).reshape(2, 3)}, tmp_path / "whole.safetensors")
    np.save(tmp_path / "broken.npy", np.where(ROWS > 1e9, 0, np.nan))
    (tmp_path / "keys.txt").write_text("1 2 3")
    for name, message in {
        "kes.npy": "there is no file 'kes.npy' in .*did you mean 'keys.npy'",
        "keys.txt": "expected a file that ends in .npy or .safetensors",
        "whole.npy": "'whole.npy' holds int64; expected floating-point numbers",
        "whole.safetensors": "'whole.safetensors': 'keys' holds int64; expected floating-point numbers",
        "objects.npy": "'objects.npy' holds Python objects; expected floating-point numbers; they are never loaded",
        "broken.npy": "row 0 holds a NaN",
    }.items():
        with pytest.raises(ha.InvalidInput, match=message):
            ha.Memory(tmp_path / name)
    with (tmp_path / "archive.npy").open("wb") as stream:
        np.savez(stream, keys=ROWS)
    (tmp_path / "deep.safetensors").write_bytes((100_000).to_bytes(8, "little") + b"[" * 100_000)
    for name in ("archive.npy", "deep.safetensors"):
        with pytest.raises(ha.InvalidInput, match="or is truncated"):
            ha.mapped(tmp_path / name)
    with pytest.raises(ha.InvalidInput, match="is not a plain file"):
        ha.mapped(tmp_path)
    with pytest.raises(ha.InvalidInput, match="no folder"):
        ha.mapped(tmp_path / "nowhere" / "keys.npy")
    with pytest.raises(ha.InvalidInput, match="without a name"):
        ha.mapped(tmp_path / "keys.npy", "keys")


def bfloat16(torch, bits):
    """The safetensors file of numbers of bfloat16 that have these bits, and the numbers themselves in float32."""
    numbers = torch.tensor(bits.view(np.int16)).view(torch.bfloat16)
    return numbers, numbers.to(torch.float32).numpy()


def test_bfloat16_is_widened_exactly(tmp_path, torch):
    """All 65,536 numbers of bfloat16 are those that PyTorch makes of them."""
    from safetensors.torch import save_file as save_torch

    bits = np.arange(2**16, dtype=np.uint16).reshape(256, 256)
    numbers, wanted = bfloat16(torch, bits)
    save_torch({"keys": numbers}, tmp_path / "keys.safetensors")
    found = ha.mapped(tmp_path / "keys.safetensors")
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, wanted)  # NaN counts as NaN
    assert np.array_equal(found.view(np.uint32) >> 16, bits)  # and nothing of it is lost


def test_a_memory_of_bfloat16_is_that_of_its_numbers_in_float32(tmp_path, torch):
    from safetensors.torch import save_file as save_torch

    keys = torch.tensor(ROWS, dtype=torch.bfloat16)
    save_torch({"keys": keys}, tmp_path / "keys.safetensors")
    memory, cue = ha.Memory(tmp_path / "keys.safetensors"), np.array([0.3, -0.2, 1.0], np.float32)
    assert memory.step(cue).dtype == np.float32
    assert np.array_equal(memory.step(cue), ha.Memory(keys.to(torch.float32).numpy()).step(cue))


@pytest.mark.parametrize("ending", [".npy", ".safetensors"])
@pytest.mark.parametrize("array", [ROWS, np.asfortranarray(ROWS)], ids=["by row", "by column"])
def test_rows_of_a_file_are_those_of_its_array(tmp_path, ending, array):
    stored = stored_vectors(written(tmp_path, ending, np.ascontiguousarray(array) if ending != ".npy" else array))
    assert (stored.shape, stored.dtype) == ((5, 3), np.dtype(float))
    assert np.array_equal(stored.rows(1, 4), ROWS[1:4])


def test_rows_of_bfloat16_are_widened_alone(tmp_path, torch):
    from safetensors.torch import save_file as save_torch

    keys = torch.tensor(ROWS, dtype=torch.bfloat16)
    save_torch({"keys": keys}, tmp_path / "keys.safetensors")
    stored = stored_vectors(tmp_path / "keys.safetensors")
    assert np.array_equal(stored.rows(1, 4), keys.to(torch.float32).numpy()[1:4])


def test_the_path_of_a_table_or_an_archive_stands_for_its_rows(tmp_path):
    np.savetxt(tmp_path / "keys.csv", ROWS, fmt="%.17g", delimiter=",")
    np.savez(tmp_path / "keys.npz", ROWS)
    np.savez(tmp_path / "two.npz", ROWS, ROWS)
    for name in ("keys.csv", "keys.npz"):
        assert np.array_equal(ha.Memory(tmp_path / name).keys, ROWS)
        assert np.array_equal(ha.memories.modern(tmp_path / name).keys, ROWS)
    np.savetxt(tmp_path / "spins.csv", np.sign(ROWS), fmt="%g", delimiter=",")
    assert np.array_equal(ha.memories.hopfield(tmp_path / "spins.csv").patterns, np.sign(ROWS))
    with pytest.raises(InvalidInput, match=r"holds 2 arrays: .* such as np.load\('two.npz'\)\['arr_0'\]"):
        ha.Memory(tmp_path / "two.npz")
