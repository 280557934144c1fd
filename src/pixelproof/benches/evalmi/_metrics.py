"""The metrics of the bench.

Those of the judge and of the checks are calibrated. Measures of pixels describe: noise is the sharpest image of all, so
neither end of them is better.
"""

from __future__ import annotations

from pixelproof.contract import Metric

_UNIT = (0.0, 1.0)
_JUDGED = {
    "judge.correspondence": "how well the image shows what the prompt says, by the judge: bad 0, poor ¼, fair ½, "
    "good ¾, excellent 1",
    "judge.facts": "share of the prompt's facts that the judge says the image shows",
    "judge.solved": "whether the judge says that the image shows all of the prompt",
    "judge.perception": "how good the image is to look at, by the judge, whatever the prompt says",
}
_FLOORS = {"judge.perception": ("floor-blank", "floor-noise")}
"""An image of another prompt may be as good to look at as any: it is no floor there."""
_CHECKED = {
    "checked.facts": "share of the facts that detector or OCR can check, which they find in the image",
    "checked.objects": "share of the named objects that the detector finds",
    "checked.counts": "share of the stated numbers of objects that the detector finds",
    "checked.colours": "share of the stated colours that the detected objects have",
    "checked.text": "similarity of the text in the image to the one asked for, by OCR: 1 − edit distance / length",
}
_PIXELS = {
    "pixels.sharpness": "variance of the Laplacian of the luma, in squared grey levels",
    "pixels.contrast": "standard deviation of the luma, as a share of the range",
    "pixels.colourfulness": "Hasler and Süsstrunk's M3",
    "pixels.noise": "standard deviation of Gaussian noise after Immerkær, in grey levels",
    "pixels.blockiness": "steps between blocks of 8 × 8 pixels, relative to steps within them; 1: none",
    "pixels.mscn_shape": "shape of the distribution of locally normalised luma, a statistic of natural scenes",
}
_ANCHORS = {
    "anchor.perception": "the judge's score of a fixed image",
    "anchor.correspondence": "the judge's score of a fixed image with its prompt",
}

METRICS = (
    *(Metric(name, about, range=_UNIT, judged=True, floors=_FLOORS.get(name)) for name, about in _JUDGED.items()),
    *(Metric(name, about, range=_UNIT) for name, about in _CHECKED.items()),
    *(Metric(name, about, calibrated=False, higher_is_better=None) for name, about in _PIXELS.items()),
    *(
        Metric(name, about, calibrated=False, higher_is_better=None, range=_UNIT, judged=True)
        for name, about in _ANCHORS.items()
    ),
)
HEADLINE = (*_JUDGED, "checked.facts")
TABLES = {
    "Judged": ("judge",),
    "Checked by detector and OCR": ("checked",),
    "Measures of pixels (descriptive)": ("pixels",),
    "Judge's scores of the anchors": ("anchor",),
}
