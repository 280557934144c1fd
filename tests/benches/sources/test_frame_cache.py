import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pixelproof.benches.sources import FrameCache
from pixelproof.benches.sources._frame_cache import pack, unpack


@given(
    hnp.arrays(st.sampled_from([np.uint8, np.uint16, np.float16, np.float32]), hnp.array_shapes(max_dims=3, max_side=9))
)
def test_what_is_packed_comes_back_to_the_bit(array):
    if array.dtype == np.uint8 and array.ndim == 3:
        array = np.repeat(array[..., :1], 3, axis=2)
    again = unpack(pack(array))
    assert again.dtype == array.dtype and again.shape == array.shape and again.tobytes() == array.tobytes()


@given(st.data())
def test_no_flipped_bit_and_no_lost_end_goes_unnoticed(data):
    packed = pack(np.arange(60, dtype=np.float32).reshape(4, 15))
    place = data.draw(st.integers(0, len(packed) - 1))
    harmed = bytearray(packed)
    harmed[place] ^= 1 << data.draw(st.integers(0, 7))
    for bad in (bytes(harmed), packed[:place]):
        try:
            assert unpack(bad).tobytes() == unpack(packed).tobytes()  # a space in the head may become a tab
        except ValueError:
            pass


def test_only_layers_that_are_missing_are_made(tmp_path):
    asked = []

    def make(names):
        asked.append(names)
        return {name: np.full((2, 2), len(name), np.uint16) for name in names}

    cache = FrameCache(tmp_path)
    cache.arrays("a", ["ids"], make)
    found = cache.arrays("a", ["ids", "depth"], make)
    assert asked == [["ids"], ["depth"]] and {name: array[0, 0] for name, array in found.items()} == {
        "ids": 3,
        "depth": 5,
    }
    assert cache.facts("a", lambda: {"n": [1, "é"]}) == cache.facts("a", dict) == {"n": [1, "é"]}
