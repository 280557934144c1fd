"""Pure functions on arrays, and counts that add up over images: no files, no models.

Label maps: `confusion` and `SegmentationCounts`, scored by the protocols `pixelarena` and `robust`; contours by
`boundary_counts` and `contour_counts`; segments by `panoptic_counts` and `recall_by_size`; `register` finds the shift,
scale or mirroring that explains a low score. Other dense answers: `depth_errors`, `normal_errors`, `mask_overlap`;
painted lines: `match_lines`; points: `keypoint_counts`; tracks: `hota_counts`, `mot_counts`. What these return is added
by `+`, and as a vector it is what a pooled metric carries. Text: `edit_distance`, `character_errors`, `word_errors`,
`anls`; numbers: `mean_relative_accuracy`; spans of time: `span_iou`.

Drawings, given as a grid of palette indices (an integer array of h × w cells, neither zero): measures in [0, 1]. They
describe and do not rank: noise reaches the maximum of several of them. `drawing_features` compares drawings by visible
difference.

Images: `laplacian_variance`, `rms_contrast`, `colourfulness`, `noise_sigma`, `blockiness` and `mscn_shape` describe one
RGB image, too; none of them is a score.
"""

from pixelproof.metrics._boundary import (
    ContourCounts,
    boundary_counts,
    boundary_f,
    contour_counts,
    pooled_boundary_f,
)
from pixelproof.metrics._character_errors import anls, character_errors, edit_distance, word_errors
from pixelproof.metrics._clear_mot import MotCounts, mot_counts
from pixelproof.metrics._confusion import ConfusionCells, confusion, confusion_cells, confusions
from pixelproof.metrics._dense import (
    DepthErrors,
    MaskOverlap,
    NormalErrors,
    depth_errors,
    iou_ratios,
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
from pixelproof.metrics._drawing_features import drawing_features
from pixelproof.metrics._hota import HotaCounts, hota_counts
from pixelproof.metrics._image_statistics import (
    blockiness,
    colourfulness,
    generalised_gaussian_shape,
    laplacian_variance,
    luma,
    mscn,
    mscn_shape,
    noise_sigma,
    rms_contrast,
)
from pixelproof.metrics._keypoints import (
    Keypoint,
    KeypointCounts,
    keypoint_counts,
    keypoint_f1_ratio,
    keypoint_tolerance,
    pooled_keypoint_f1,
)
from pixelproof.metrics._lines import (
    LINE,
    LINE_TOLERANCE,
    LineCounts,
    contour_map,
    line_f1_ratio,
    match_lines,
    pooled_line_f1,
)
from pixelproof.metrics._moves import Move
from pixelproof.metrics._panoptic import (
    PanopticCounts,
    panoptic_counts,
    pooled_pq,
    pooled_rq,
    pooled_sq,
    pq_ratios,
    rq_ratios,
    sq_ratios,
)
from pixelproof.metrics._registration import Registration, register
from pixelproof.metrics._relative_accuracy import mean_relative_accuracy
from pixelproof.metrics._segmentation import (
    REGION,
    SegmentationCounts,
    miou_ratios,
    pixelarena,
    pooled_accuracy,
    pooled_f1,
    pooled_miou,
    robust,
)
from pixelproof.metrics._segments import (
    SIZES,
    Segments,
    SizeRecall,
    connected_segments,
    instance_segments,
    pooled_recall,
    recall_by_size,
    recall_ratio,
)
from pixelproof.metrics._spans import span_iou
from pixelproof.metrics._thinning import thin

__all__ = [
    "REGION",
    "LINE",
    "LINE_TOLERANCE",
    "SIZES",
    "ConfusionCells",
    "ContourCounts",
    "DepthErrors",
    "HotaCounts",
    "Keypoint",
    "KeypointCounts",
    "LineCounts",
    "MaskOverlap",
    "MotCounts",
    "Move",
    "NormalErrors",
    "PanopticCounts",
    "Registration",
    "SegmentationCounts",
    "Segments",
    "SizeRecall",
    "anls",
    "background",
    "blockiness",
    "boundary_counts",
    "boundary_f",
    "character_errors",
    "colour_efficiency",
    "colourfulness",
    "confusion",
    "confusion_cells",
    "confusions",
    "connected_segments",
    "continuity",
    "contour_counts",
    "contour_map",
    "depth_errors",
    "drawing_features",
    "edge_density",
    "edit_distance",
    "entropy",
    "fill_balance",
    "generalised_gaussian_shape",
    "horizontal_symmetry",
    "hota_counts",
    "instance_segments",
    "iou_ratios",
    "keypoint_counts",
    "keypoint_f1_ratio",
    "keypoint_tolerance",
    "laplacian_variance",
    "line_f1_ratio",
    "luma",
    "mask_overlap",
    "match_lines",
    "mean_relative_accuracy",
    "miou_ratios",
    "mscn",
    "mscn_shape",
    "noise_sigma",
    "mot_counts",
    "normal_errors",
    "palette_validity",
    "panoptic_counts",
    "pixelarena",
    "pooled_accuracy",
    "pooled_boundary_f",
    "pooled_f1",
    "pooled_iou",
    "pooled_keypoint_f1",
    "pooled_line_f1",
    "pooled_miou",
    "pooled_pq",
    "pooled_recall",
    "pooled_rq",
    "pooled_sq",
    "pq_ratios",
    "recall_by_size",
    "recall_ratio",
    "register",
    "rms_contrast",
    "robust",
    "rq_ratios",
    "sq_ratios",
    "span_iou",
    "thin",
    "vertical_symmetry",
    "word_errors",
]
