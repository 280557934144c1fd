import hashlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, spearmanr

from pixelproof.stats import derive_seed, generator

seeds = st.integers(0, 2**63)
purposes = st.text(max_size=8)


@given(seeds, purposes, st.integers(0, 10**9))
def test_derived_seed_is_the_top_of_the_documented_hash(seed, purpose, index):
    digest = hashlib.sha256(f"{seed}/{index}/{purpose}".encode()).hexdigest()
    assert derive_seed(seed, purpose, index) == int(digest[:8], 16) >> 1 < 2**31


@given(st.tuples(seeds, purposes, st.integers(0, 99)), st.tuples(seeds, purposes, st.integers(0, 99)))
def test_streams_are_the_same_exactly_when_seed_purpose_and_index_are(one, other):
    same = generator(*one).integers(2**63) == generator(*other).integers(2**63)
    assert same == (one == other)


def test_separators_in_a_purpose_make_no_collisions():
    triples = [(1, "2/3", 4), (1, "3", 4), (12, "/3", 4), (1, "4/3", 2), (1, "", 4), (1, "/", 4), (1, "a", 44)]
    assert len({derive_seed(*triple) for triple in triples}) == len(triples)


@pytest.mark.slow
def test_another_process_draws_the_same():
    code = "from pixelproof.stats import *; print(derive_seed(5, 'é', 2), generator(5, 'é', 2).integers(2**62))"
    run = subprocess.run([sys.executable, "-X", "utf8", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [str(derive_seed(5, "é", 2)), str(generator(5, "é", 2).integers(2**62))]


def test_numpy_integers_are_as_good_as_ints():
    assert derive_seed(np.int64(5), "x", np.int32(2)) == derive_seed(5, "x", 2)


def test_neighbouring_streams_are_uniform_and_unrelated():
    firsts = np.array([generator(0, "scene", i).random(2) for i in range(2000)])
    assert kstest(firsts[:, 0], "uniform").pvalue > 0.001
    assert spearmanr(firsts[:-1, 0], firsts[1:, 0]).pvalue > 0.001
    assert spearmanr(firsts[:, 0], firsts[:, 1]).pvalue > 0.001
