"""The negatives of the test share no code with the training set, and show plain forms."""

import ast
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from training.drawing import held_out_negatives


@given(st.integers(0, 2**32 - 1))
def test_forms_have_few_colours_and_depend_on_the_seed_alone(seed):
    picture, again = (held_out_negatives.pillow_forms(np.random.default_rng(seed)) for _ in range(2))
    np.testing.assert_array_equal(picture, again)
    assert picture.dtype == np.uint8 and 16 <= len(picture) <= 32 and picture.shape == (len(picture), len(picture), 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) <= 3


def test_no_code_is_shared_with_the_training_set():
    tree = ast.parse(Path(held_out_negatives.__file__).read_text("utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not {name for name in modules if name.startswith("training")}
