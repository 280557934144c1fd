import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.ndimage
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from pixelproof.benches.pixelart.subjects import KINDS
from pixelproof.contract import PixelProofError
from pixelproof.nets import WEIGHTS, Recognition, fit, load_recogniser, recognise, recogniser
from pixelproof.pixels import oklab
from pixelproof.stats import generator
from pixelproof.store import find_asset

rng = np.random.default_rng


def references():
    names = [name for name in recogniser().names]
    return names, [KINDS[name].reference(24, 10).pixels() for name in names]


def filtered(maps, weight):
    """Correlation with zeros around, by way of Fourier transforms."""
    side = len(maps) + 2
    waves = np.fft.rfft2(maps, (side, side), axes=(0, 1))
    kernels = np.fft.rfft2(weight[::-1, ::-1], (side, side), axes=(0, 1))
    return np.fft.irfft2(np.einsum("yxi,yxio->yxo", waves, kernels), (side, side), axes=(0, 1))[1:-1, 1:-1]


def by_hand(picture):
    """The whole network once more, in other ways, straight from the file."""
    with np.load(WEIGHTS) as stored:
        card = json.loads(str(stored["card"]))
        layers = [(stored[f"weight{n}"].astype(float), stored[f"bias{n}"].astype(float)) for n in range(7)]
    cells, ground = fit(picture)
    lab = oklab(cells)
    distance = np.linalg.norm(lab - oklab(ground), axis=-1, keepdims=True)
    seen = np.concatenate([(lab - [0.5, 0, 0]) * [2, 5, 5], 2 * distance], axis=-1)
    logits = []
    for maps in (seen, seen[:, ::-1]):
        for index, (weight, bias) in enumerate(layers[:-1]):
            if index in (2, 4):
                maps = scipy.ndimage.maximum_filter(maps, (2, 2, 1), origin=(-1, -1, 0))[::2, ::2]
            maps = np.maximum(filtered(maps, weight) + bias, 0)
        pooled = np.concatenate([maps.mean(axis=(0, 1)), maps.max(axis=(0, 1))])
        logits.append(pooled @ layers[-1][0] + layers[-1][1])
    return scipy.special.softmax(np.mean(logits, axis=0) / card["temperature"])


@pytest.mark.slow
def test_the_network_is_what_the_file_says():
    for picture in (rng(0).integers(0, 256, (17, 24, 3), dtype=np.uint8), references()[1][3]):
        found = recognise(picture)
        np.testing.assert_allclose([*found.probabilities, found.nothing], by_hand(picture), rtol=1e-3, atol=1e-6)


def test_names_are_the_subjects_that_the_bench_cannot_check():
    things = {kind.id for kind in KINDS.values() if kind.scoring == "thing"}
    assert set(recogniser().names) == things - {"hope"}
    assert len(set(recogniser().names)) == len(recogniser().names)


@pytest.mark.slow
def test_reference_drawings_are_recognised():
    names, pictures = references()
    found = recogniser().recognise(pictures)
    wrong = [name for name, one in zip(names, found, strict=True) if one.best != name or one.abstains]
    assert not wrong
    assert np.mean([one.probability(name) for name, one in zip(names, found, strict=True)]) > 0.9


@pytest.mark.slow
def test_fresh_drawings_are_recognised():
    names = recogniser().names
    pictures = [KINDS[name].draw(generator(5, name), 24, 10).pixels() for name in names]
    found = recogniser().recognise(pictures)
    assert np.mean([one.best == name for name, one in zip(names, found, strict=True)]) > 0.9


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.data())
def test_any_picture_gets_a_verdict(data):
    shape = data.draw(st.tuples(st.integers(1, 40), st.integers(1, 40)))
    picture = data.draw(arrays(np.uint8, (*shape, 3)))
    found = recognise(picture)
    assert sum(found.probabilities) + found.nothing == pytest.approx(1)
    assert min(found.probabilities) >= 0 and found.best in found.names
    assert found.probability(found.best) == max(found.probabilities)


@pytest.mark.slow
def test_mirror_images_look_the_same():
    for picture in references()[1][:5]:
        mirrored = recognise(np.ascontiguousarray(picture[:, ::-1]))
        np.testing.assert_allclose(mirrored.probabilities, recognise(picture).probabilities, atol=1e-5)


@pytest.mark.slow
def test_many_are_looked_at_as_one_by_one():
    pictures = references()[1][:6]
    net = recogniser()
    assert [net.recognise([picture])[0] for picture in pictures] == net.recognise(pictures)
    cells, grounds = (np.stack(part) for part in zip(*map(fit, pictures), strict=True))
    together = scipy.special.softmax(net.logits(cells, grounds) / net.temperature, axis=1)[:, :-1]
    np.testing.assert_allclose(together, [one.probabilities for one in net.recognise(pictures)], atol=1e-5)
    assert net.recognise([]) == []


def test_nobody_is_named_below_the_threshold():
    sure = Recognition(("cat", "dog"), (0.6, 0.1), 0.3, 0.5)
    assert (sure.best, sure.abstains, sure.probability("dog")) == ("cat", False, 0.1)
    assert Recognition(("cat", "dog"), (0.4, 0.3), 0.3, 0.5).abstains
    assert Recognition(("cat", "dog"), (0.4, 0.1), 0.5, 0.2).abstains
    assert Recognition(("cat", "dog"), (float("nan"), 0.1), 0.3, 0.5).abstains
    with pytest.raises(KeyError, match="teapot"):
        sure.probability("teapot")


@pytest.mark.slow
def test_a_picture_that_is_no_array_is_refused_with_the_way_to_make_it_one():
    image = Image.fromarray(references()[1][0])
    with pytest.raises(TypeError, match="not Image.*asarray"):
        recognise(image)
    assert recognise(np.asarray(image.convert("RGB"))).best == recogniser().names[0]


def test_the_weights_are_small_and_carry_their_card():
    assert WEIGHTS.stat().st_size < 2_000_000
    card = recogniser().card
    assert {"names", "temperature", "threshold", "recipe", "drawings", "data", "seconds", "versions"} <= set(card)
    assert 0 < card["threshold"] < 1 < card["drawings"]
    assert {"dropout", "decay", "widths", "warm_up"} <= set(card["recipe"])
    assert card["sources"] == {name: find_asset(name).licence for name in card["sources"]} != {}


@pytest.mark.slow
def test_nothing_is_loaded_before_it_is_needed():
    code = (
        "import sys, pixelproof.nets as nets; loaded = nets.recogniser.cache_info().currsize;"
        "nets.recogniser(); print(loaded, *({'torch', 'onnxruntime', 'scipy'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["0"]


@pytest.mark.parametrize("content", [b"", b"not a network", b"PK\x03\x04 cut off", None])
def test_what_is_no_network_is_one_sentence(tmp_path, content):
    path = tmp_path / "network.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PixelProofError, match="not a drawing recogniser.*train"):
        load_recogniser(path)


def test_a_file_without_a_card_is_refused(tmp_path):
    np.savez(tmp_path / "other.npz", weight0=np.zeros(3))
    with pytest.raises(PixelProofError, match="not a drawing recogniser"):
        load_recogniser(tmp_path / "other.npz")


def stored():
    with np.load(WEIGHTS) as file:
        return dict(file)


def card_with(**changes):
    card = json.loads(str(stored()["card"])) | changes
    return {"card": np.array(json.dumps(card))}


@pytest.mark.parametrize(
    "changes",
    [
        {"card": np.array("[1, 2]")},
        {"card": np.array("null")},
        card_with(threshold=None),
        card_with(temperature="0.7"),
        card_with(temperature=0.0),
        card_with(names=["cat"]),
        card_with(names=[]),
        card_with(names=5),
        {"bias6": stored()["bias6"][:-1]},
        {"bias2": stored()["bias2"][:-1]},
        {"bias0": np.float16(1.0)},
        {"weight3": stored()["weight3"][:1]},
        {"weight6": stored()["weight6"].T},
        {"weight0": np.full_like(stored()["weight0"], np.nan)},
        {"bias1": np.full_like(stored()["bias1"], np.inf)},
        {"weight1": np.array(["a", "b"])},
    ],
)
def test_a_network_that_would_not_run_is_refused_when_it_is_read(tmp_path, changes):
    np.savez(tmp_path / "network.npz", **(stored() | changes))
    with pytest.raises(PixelProofError, match="not a drawing recogniser"):
        load_recogniser(tmp_path / "network.npz")
