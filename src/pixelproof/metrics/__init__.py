"""Pure functions on arrays, and sums that add up over pictures: no files, no models.

Of label maps: `confusion` and `SegmentationCounts`, scored by the protocols `pixelarena` and `robust`; contours by
`boundary_counts` and `contour_counts`. Of other dense answers: `depth_errors`, `normal_errors`, `mask_overlap`. What
they return is added by `+`, and as a vector it is what a pooled metric carries.

Of a drawing given as a grid of palette indices (an integer array of h × w cells, neither zero): measures in [0, 1].
They describe; they do not praise: noise reaches the top of several of them. `oklab` and `drawing_features` are for
comparing colours and pictures by what the eye sees.
"""

from pixelproof.metrics._boundary import (
    ContourCounts,
    boundary_counts,
    boundary_f,
    contour_counts,
    pooled_boundary_f,
)
from pixelproof.metrics._confusion import confusion
from pixelproof.metrics._dense import (
    DepthErrors,
    MaskOverlap,
    NormalErrors,
    depth_errors,
    mask_overlap,
    normal_errors,
    pooled_iou,
)
from pixelproof.metrics._drawing import (
    background,
    colour_efficiency,
    continuity,
    edge_density,
    entropy,
    fill_balance,
    horizontal_symmetry,
    palette_validity,
    vertical_symmetry,
)
from pixelproof.metrics._oklab import drawing_features, oklab
from pixelproof.metrics._segmentation import (
    SegmentationCounts,
    pixelarena,
    pooled_accuracy,
    pooled_f1,
    pooled_miou,
    robust,
)

__all__ = [
    "ContourCounts",
    "DepthErrors",
    "MaskOverlap",
    "NormalErrors",
    "SegmentationCounts",
    "background",
    "boundary_counts",
    "boundary_f",
    "colour_efficiency",
    "confusion",
    "continuity",
    "contour_counts",
    "depth_errors",
    "drawing_features",
    "edge_density",
    "entropy",
    "fill_balance",
    "horizontal_symmetry",
    "mask_overlap",
    "normal_errors",
    "oklab",
    "palette_validity",
    "pixelarena",
    "pooled_accuracy",
    "pooled_boundary_f",
    "pooled_f1",
    "pooled_iou",
    "pooled_miou",
    "robust",
    "vertical_symmetry",
]
