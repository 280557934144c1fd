import numpy as np
import scipy.signal
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pixelproof.nets._recogniser import convolve, halve, multiply, rectify, softmax

seeds = st.integers(0, 2**32 - 1)


def theirs(pictures, weight, bias):
    """scipy, one picture and one pair of channels at a time."""
    n, height, width, inputs = pictures.shape
    out = np.zeros((n, height, width, weight.shape[3]))
    for index in range(n):
        for output in range(weight.shape[3]):
            for channel in range(inputs):
                kernel = weight[:, :, channel, output]
                out[index, :, :, output] += scipy.signal.correlate2d(
                    pictures[index, :, :, channel], kernel, mode="same"
                )
    return out + bias


@given(seeds, st.integers(1, 3), st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 3, 5]))
def test_convolution_is_that_of_scipy(seed, n, height, width, size):
    rng = np.random.default_rng(seed)
    inputs, outputs = rng.integers(1, 5, 2)
    pictures = rng.normal(size=(n, height, width, inputs)).astype(np.float32)
    weight = rng.normal(size=(size, size, inputs, outputs)).astype(np.float32)
    bias = rng.normal(size=outputs).astype(np.float32)
    found = convolve(pictures, weight, bias)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, theirs(pictures, weight, bias), rtol=1e-4, atol=1e-4)


@given(seeds, st.integers(0, 300), st.integers(1, 90), st.integers(1, 90))
def test_the_product_in_pieces_is_the_product(seed, count, inputs, outputs):
    rng = np.random.default_rng(seed)
    rows, weight = (rng.normal(size=shape).astype(np.float32) for shape in ((count, inputs), (inputs, outputs)))
    found = multiply(rows, weight)
    assert found.shape == (count, outputs) and found.dtype == np.float32
    np.testing.assert_allclose(found, rows.astype(float) @ weight, rtol=1e-4, atol=1e-4)


@given(seeds, st.integers(1, 5), st.integers(1, 5))
def test_halving_takes_the_largest_of_four(seed, rows, columns):
    pictures = np.random.default_rng(seed).normal(size=(2, 2 * rows, 2 * columns, 3)).astype(np.float32)
    corners = [pictures[:, down::2, across::2] for down in (0, 1) for across in (0, 1)]
    np.testing.assert_array_equal(halve(pictures), np.maximum.reduce(corners))


@given(arrays(np.float64, (3, 7), elements=st.floats(-700, 700)))
def test_softmax_is_that_of_scipy(logits):
    np.testing.assert_allclose(softmax(logits), scipy.special.softmax(logits, axis=-1), rtol=1e-12, atol=1e-300)


def test_rectifying_keeps_the_type():
    assert rectify(np.array([-1.5, 0.0, 3.0], np.float32)).dtype == np.float32
