"""Our truth beside MuJoCo's, which is rasterised by OpenGL from the same triangles and shares no code with ours."""

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

COMPARE = """
import json, sys
import numpy as np
try:
    import mujoco
    mujoco.GLContext(8, 8).free()
except Exception as error:  # what is raised depends on the library that is missing
    sys.exit(print(json.dumps(f"OpenGL cannot be used: {error}")))
from mujoco_view import MujocoView
from pixelproof.world.solid import make_scene
from pixelproof.world.solid.render import render

width, height, found = 320, 240, {}
for kind in sys.argv[1:]:
    scene = make_scene(kind, 5, 1)
    view = MujocoView(scene, width, height)
    rgb, depth, ids = view.render_passes()
    view.close()
    ours = render(scene, width, height, "draft")
    same = (ours.ids == ids) & (ours.ids > 0)
    whole = ours.amodal.sum(axis=(1, 2))
    visible = np.bincount(ids.ravel(), minlength=len(whole) + 1)[1:] / np.maximum(whole, 1)
    found[kind] = {
        "ids": float((ours.ids == ids).mean()),
        "depth": float(np.quantile(np.abs(ours.depth - depth)[same] / ours.depth[same], 0.999)),
        "nothing": bool(np.isposinf(depth[ids == 0]).all()),
        "visible": float(np.abs(ours.visible - visible)[whole > 0].max()),
        "picture": rgb.shape,
    }
print(json.dumps(found))
"""
ONE_SCENE = """
from pixelproof.contract import PixelProofError
from pixelproof.world.solid import make_scene
try:
    make_scene("tabletop", 5, 1)
except PixelProofError as error:
    print(error)
"""
KINDS = ("tabletop", "room", "shelf")


def last_line(code: str, gl: str, *words: str) -> str:
    """The last line that a process prints whose MuJoCo uses an implementation of OpenGL."""
    environment = os.environ | {"MUJOCO_GL": gl, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def compared():
    found = json.loads(last_line(COMPARE, "egl", *KINDS))
    return pytest.skip(found) if isinstance(found, str) else found


@pytest.mark.parametrize("kind", KINDS)
def test_ids_and_depth_agree(compared, kind):
    found = compared[kind]
    assert found["ids"] > 0.999 and found["depth"] < 1e-3
    assert found["nothing"] and found["visible"] < 0.05 and found["picture"] == [240, 320, 3]


def test_a_library_of_opengl_that_nobody_knows_is_answered_in_a_sentence():
    message = last_line(ONE_SCENE, "crayons")
    assert message.startswith("mujoco cannot be loaded") and "MUJOCO_GL: crayons" in message
