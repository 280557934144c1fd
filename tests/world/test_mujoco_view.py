"""Our truth beside MuJoCo's, which is rasterised by OpenGL from the same triangles and shares no code with ours."""

import json
import os
import subprocess
import sys

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.world.solid.render import get_renderer

from .solid_support import balls

pytestmark = pytest.mark.slow

COMPARE = """
import json, sys
import numpy as np
from pixelproof.contract import PixelProofError
from pixelproof.world.solid import make_scene
from pixelproof.world.solid.render import LAYERS, get_renderer, render

width, height, found = 320, 240, {}
for kind in sys.argv[1:]:
    try:
        scene = make_scene(kind, 5, 1)
        theirs = get_renderer("mujoco")(scene, width, height)
    except PixelProofError as error:
        found[kind] = str(error)
        continue
    few = get_renderer("mujoco")(scene, width, height, layers=["visible"])
    ours = render(scene, width, height, "draft")
    same = (ours.ids == theirs.ids) & (ours.ids > 0)
    found[kind] = {
        "ids": float((ours.ids == theirs.ids).mean()),
        "depth": float(np.quantile(np.abs(ours.depth - theirs.depth)[same] / ours.depth[same], 0.999)),
        "nothing": bool(np.isposinf(theirs.depth[theirs.ids == 0]).all()),
        "visible": float(np.abs(ours.visible - theirs.visible).max()),
        "picture": theirs.rgb.shape,
        "seen": bool((few.visible == theirs.visible).all()),
        "made": [name for name in LAYERS if getattr(few, name).size],
    }
print(json.dumps(found))
"""


KINDS = ("tabletop", "room", "shelf")


def compare(gl: str, *kinds: str):
    """What a process that is told to use an implementation of OpenGL finds for each kind; a message if it cannot."""
    environment = os.environ | {"MUJOCO_GL": gl, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", COMPARE, *kinds], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def compared():
    return compare("egl", *KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_ids_and_depth_agree(compared, kind):
    found = compared[kind]
    if isinstance(found, str):
        pytest.skip(found)
    assert found["ids"] > 0.999 and found["depth"] < 1e-3
    assert found["nothing"] and found["visible"] < 0.05 and found["picture"] == [240, 320, 3]
    assert found["seen"] and found["made"] == ["visible"]


def test_without_opengl_it_says_what_to_do():
    found = compare("disable", "tabletop")["tabletop"]
    assert found.startswith("MuJoCo's renderer cannot use OpenGL") and "use the renderer embree" in found


def test_a_library_of_opengl_that_nobody_knows_is_answered_in_a_sentence():
    found = compare("crayons", "tabletop")["tabletop"]
    assert found.startswith("mujoco cannot be loaded") and "MUJOCO_GL: crayons" in found


@pytest.mark.parametrize(
    ("change", "words"),
    [({"width": 0}, "0 × 0"), ({"quality": "best"}, "quality 'best'"), ({"layers": ["flow"]}, "layer 'flow'")],
)
def test_wrong_wishes_are_answered_as_by_our_own(change, words):
    with pytest.raises(PixelProofError, match=words):
        get_renderer("mujoco")(balls(), **change)
