"""The wordings, by name and version.

The published ones state the facts of the published prompts, no more, in our own sentences. A change of any sentence is
a new version.
"""

from __future__ import annotations

from dataclasses import dataclass

from pixelproof.benches.arena.dense import CODES

_FACES = """\
Do semantic segmentation of the photo by facial features. These are the labels and the colours that encode them:
{legend}{palette_note}
From the photo, the palette and the encodings, draw a colourful segmentation mask.
Left and right are the person's own: the person's left side is on the right side of the picture. Check that your mask \
keeps to this."""

_COCO = """\
Do semantic segmentation of the photo by the given category labels. These are the labels and the colours that encode \
them:
{legend}{palette_note}
From the photo, the palette and the encodings, draw a colourful segmentation mask. It may help to recognise all \
categories in the photo first, and to draw the mask after that.{other_note}"""

_IMPROVED = """\
Paint the semantic segmentation of the photo: a picture in which the colour of each pixel says what the photo shows \
there. Use only these labels, each with exactly its colour [r, g, b]:
{legend}{palette_note}
Rules:
- Same framing: everything is where it is in the photo, to the pixel. Do not crop, move, scale, mirror or complete \
anything. The mask is {width} × {height} pixels, like the photo.
- Flat colours: one exact colour per label, hard edges between labels. No shading, no gradients, no texture, no \
transparency, no outlines, no text, no legend inside the picture.
- Every pixel gets a label, small parts and thin parts too. Not every label needs to occur.\
{other_rule}{side_rule}{bars_rule}{legend_rule}"""

_REFERRING = """\
Mask one thing in the photo: {expression}
Paint a picture with two flat colours: {target} where the photo shows this thing, {rest} everywhere else.{palette_note}
Rules:
- Same framing: the thing is where it is in the photo, to the pixel. Do not crop, move, scale or mirror anything. The \
mask is {width} × {height} pixels, like the photo.
- Only what is visible of the thing belongs to it, not what is hidden behind others, nor its shadow.
- Hard edges, no shading, no texture, no outlines, no text.{bars_rule}{pair_rule}"""

_DENSE = """\
Paint a {what} of the photo: a picture of {width} × {height} pixels in which everything is where it is in the photo, \
to the pixel. Do not crop, move, scale or mirror anything.
{code}{bars_rule}"""


_EDGES = """\
Draw the contours of the objects in the photo: {line} lines on a {ground} ground, where one object ends and another, \
or what is behind it, begins. Draw the outline of every object, also where two objects of the same kind meet. Edges \
of the room itself, of the table or the shelf may be drawn or not. No other lines: no creases, no texture, no shadows.
Rules:
- Same framing: every line is where the contour is in the photo, to the pixel. Do not crop, move, scale or mirror \
anything. The drawing is {width} × {height} pixels, like the photo.
- Lines about 3 pixels wide, {line} [r, g, b] = {line_rgb} on {ground_rgb}. Objects are not filled. No shading, no \
text. Where the photo ends is no contour.{bars_rule}"""

_KEYPOINTS = """\
Mark objects in the photo: for each of these labels, paint a filled disc in its colour [r, g, b] at the centre of the \
object, that is at the middle of the bounding box of its visible part:
{legend}{palette_note}
Rules:
- The photo shows at most one object of each label except {first}. If it does not show the object, paint no disc.
- Exactly one disc per object, about {disc} pixels wide, smaller where two discs would touch. Everything else has the \
colour of {first}.
- Same framing: the discs are where the objects are in the photo, to the pixel. Do not crop, move, scale or mirror \
anything. The picture is {width} × {height} pixels, like the photo.
- Flat colours, hard edges, no outlines, no text, nothing of the photo itself.{bars_rule}"""


@dataclass(frozen=True)
class Wording:
    """A text with gaps, for one task."""

    name: str
    version: str
    task: str
    about: str
    text: str
    palette: bool = True
    """Whether palette pictures go with it."""


_ALL = (
    Wording("improved", "2", "semantic", "flat colours, same framing and size, a declared legend", _IMPROVED),
    Wording("published-faces", "1", "semantic", "PixelArena's facts for faces, in our words", _FACES),
    Wording("published-coco", "1", "semantic", "PixelArena's facts for COCO, in our words", _COCO),
    Wording("referring", "2", "referring", "one thing, by an expression that fits it alone", _REFERRING, palette=False),
    Wording("edges", "1", "edges", "contours of objects as lines", _EDGES, palette=False),
    Wording("keypoints", "1", "keypoints", "centres of named objects as discs", _KEYPOINTS),
    *(
        Wording(
            name,
            "1",
            "normals" if name == "normals" else "depth",
            f"the code `{name}` of dense tasks",
            _DENSE.replace("{what}", "normal map" if name == "normals" else "depth map").replace("{code}", code),
            palette=False,
        )
        for name, code in CODES.items()
    ),
)
PROMPTS = {wording.name: wording for wording in _ALL}
"""Name → wording."""

PALETTE_NOTE = "\nThe {which} the same colours as a palette, for convenience."
OTHER_NOTE = ' The label "{other}" is only for what no other label fits.'
OTHER_RULE = '\n- "{other}" is for whatever no other label fits.'
SIDE_RULE = (
    "\n- Left and right in labels are the person's own: the left side of a person who faces the camera is on the right "
    "side of the picture."
)
BARS_RULE = "\n- The grey bars at the edges only fill the frame: keep them, and do not stretch the photo over them."
LEGEND_RULE = (
    "\nAfter the picture, write the legend of what you painted, one line per label that you used, as `label: [r, g, b]`"
    " with the colour that is in your picture."
)
PAIR_RULE = (
    "\nAfter the picture, write the two colours that are in your picture, in two lines: `{target}: [r, g, b]` for the "
    "thing and `{rest}: [r, g, b]` for all else."
)
