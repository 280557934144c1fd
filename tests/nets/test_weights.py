"""Files of weights: what is written is read; files of others are refused, not executed."""

import io
import pickle
import zipfile

import numpy as np
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.nets import dequantise, get_net, quantise, read_weights, write_weights

ARRAYS = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([1, -1], np.int8)}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "net.npz"
    write_weights(path, ARRAYS, {"net": "draw", "n": 1})
    return path


def member(array) -> bytes:
    data = io.BytesIO()
    np.lib.format.write_array(data, np.asarray(array), allow_pickle=True)
    return data.getvalue()


def archive(path, members, compression=zipfile.ZIP_STORED):
    card = member(np.frombuffer(b"{}", np.uint8))
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, data in {"card.npy": card, **members}.items():
            file.writestr(name, data)
    return path


def test_arrays_and_card_are_read_as_they_were_written(file):
    arrays, card = read_weights(file)
    assert card == {"net": "draw", "n": 1} and set(arrays) == set(ARRAYS)
    assert all(
        np.array_equal(arrays[name], value) and arrays[name].dtype == value.dtype for name, value in ARRAYS.items()
    )


def test_quantised_weights_are_within_half_a_step():
    weights = np.random.default_rng(0).normal(size=(5, 40)).astype(np.float32)
    step = np.abs(weights).max(1, keepdims=True) / 127
    assert (np.abs(dequantise(quantise({"w": weights}))["w"] - weights) <= 0.501 * step).all()
    assert not dequantise(quantise({"w": np.zeros((2, 2), np.float32)}))["w"].any()


class Payload:
    """Unpickling it would create a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_pickles_are_refused_and_not_executed(tmp_path):
    mark = tmp_path / "executed"
    objects = np.empty(1, object)
    objects[0] = Payload(mark)
    for path in (archive(tmp_path / "a.npz", {"x.npy": member(objects)}), tmp_path / "b.npz"):
        if not path.exists():
            path.write_bytes(pickle.dumps(Payload(mark)))
            mark.unlink(missing_ok=True)
        with pytest.raises(PixelProofError, match="no weights that can be read"):
            read_weights(path)
    assert not mark.exists()


def test_an_archive_that_unpacks_to_more_than_its_size_is_refused(tmp_path):
    path = archive(tmp_path / "bomb.npz", {"x.npy": member(np.zeros(10**6, np.uint8))}, zipfile.ZIP_DEFLATED)
    with pytest.raises(PixelProofError, match="compressed"):
        read_weights(path)


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(-1,)", "(2, -3)", "(99999999999999999999999,)"])
def test_headers_that_lie_about_the_size_are_refused(tmp_path, shape):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 6
    with pytest.raises(PixelProofError):
        read_weights(archive(tmp_path / "lie.npz", {"x.npy": data}))


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"x.npy": member(np.array([1.0, np.nan]))}, "not finite"),
        ({"x.npy": member(np.array(["text"]))}, "does not hold numbers"),
        ({"x.npy": b"\x93NUMPY\x01\x00"}, "no weights"),
        ({"x.txt": b"text"}, "not arrays"),
        ({"card.npy": member(np.frombuffer(b"[1]", np.uint8))}, "card is not"),
        ({"card.npy": member(np.frombuffer(b"[" * 100_000, np.uint8))}, "no weights"),
    ],
)
def test_members_that_are_no_weights_are_refused(tmp_path, members, reason):
    with pytest.raises(PixelProofError, match=reason):
        read_weights(archive(tmp_path / "x.npz", members))


def test_two_arrays_of_one_name_are_refused(tmp_path):
    path = archive(tmp_path / "x.npz", {"x.npy": member(np.zeros(2))})
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("x.npy", member(np.ones(2)))
    with pytest.raises(PixelProofError, match="different names"):
        read_weights(path)


def test_damaged_files_are_refused_or_read_in_full(file):
    """Every cut, and a flipped bit at many places: the checksums of the archive, or its structure, notice."""
    data = file.read_bytes()
    places = np.random.default_rng(0).integers(len(data) * 8, size=150)
    flipped = [bytearray(data) for _ in places]
    for copy, place in zip(flipped, places, strict=True):
        copy[place // 8] ^= 1 << place % 8
    for damaged in [*(data[: int(cut)] for cut in np.linspace(0, len(data) - 1, 50)), *flipped]:
        file.write_bytes(damaged)
        try:
            arrays, _ = read_weights(file)
        except PixelProofError:
            continue
        for name in set(arrays) & set(ARRAYS):  # a bit of a date, or of a name
            assert np.array_equal(arrays[name], ARRAYS[name])


def test_files_above_the_limit_are_not_opened(file):
    with pytest.raises(PixelProofError, match="more than 100 bytes"):
        read_weights(file, 100)


@pytest.mark.parametrize("net", ["kmeans", "nothing", 1, None])
def test_a_file_names_a_net_that_reads_files(tmp_path, net):
    write_weights(tmp_path / "net.npz", ARRAYS, {"net": net})
    with pytest.raises(PixelProofError, match="no net of a kind"):
        get_net(str(tmp_path / "net.npz"))


def test_weights_of_something_else_are_no_drawing_model(file):
    with pytest.raises(PixelProofError, match="is not a drawing model"):
        get_net(str(file))
