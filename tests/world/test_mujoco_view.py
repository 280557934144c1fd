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
from pixelproof.contract import PixelProofError
from pixelproof.world.solid import make_scene
from pixelproof.world.solid.render import get_renderer, render

kind, width, height = sys.argv[1], 320, 240
scene = make_scene(kind, 5, 1)
try:
    theirs = get_renderer("mujoco")(scene, width, height)
except PixelProofError as error:
    print(json.dumps(str(error)))
    sys.exit()
ours = render(scene, width, height, "draft")
same = (ours.ids == theirs.ids) & (ours.ids > 0)
print(json.dumps({
    "ids": float((ours.ids == theirs.ids).mean()),
    "depth": float(np.quantile(np.abs(ours.depth - theirs.depth)[same] / ours.depth[same], 0.999)),
    "nothing": bool(np.isposinf(theirs.depth[theirs.ids == 0]).all()),
    "visible": float(np.abs(ours.visible - theirs.visible).max()),
    "picture": theirs.rgb.shape,
}))
"""


def compare(kind: str, gl: str):
    environment = os.environ | {"MUJOCO_GL": gl, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", COMPARE, kind], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("kind", ["tabletop", "room", "shelf"])
def test_ids_and_depth_agree(kind):
    found = compare(kind, "egl")
    if isinstance(found, str):
        pytest.skip(found)
    assert found["ids"] > 0.999 and found["depth"] < 1e-3
    assert found["nothing"] and found["visible"] < 0.05 and found["picture"] == [240, 320, 3]


def test_without_opengl_it_says_what_to_do():
    found = compare("tabletop", "disable")
    assert found.startswith("MuJoCo's renderer finds no OpenGL") and "use the renderer embree" in found
