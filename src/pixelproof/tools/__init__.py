"""What an agent may do to pixels: six typed tools, executed, recorded and repeatable; free of any framework.

`TOOLS` describes ZOOM, SEG, PROP, OCR, TRK and TEMP for a model. A `Toolbox` executes `Call`s on one `Media` (a picture
or a clip; `open_media` reads files) and returns a `ToolResult` for each: evidence, confidence, cost, perhaps a picture,
and two digests, of what was done and of what came out. Errors are results, too. Coordinates are integers from 0 to 1000
of the original frame.

Back ends of SEG, OCR and TRK are objects or names (`Backends`); packages register theirs under the entry-point group
`pixelproof.tools`.
"""

from ._backends import (
    DEFAULTS,
    GROUP,
    Backend,
    Backends,
    Line,
    Position,
    Reader,
    Segment,
    Segmenter,
    Tracker,
    available_backends,
    create_backend,
    require_backends,
)
from ._calls import NAMES, PROPERTIES, TOOLS, ErrorCode, ParsedCall, ToolError, parse_call
from ._evidence import render_evidence
from ._geometry import GRID, decode_mask, encode_mask, grid_box, grid_point, pixel_box, pixel_point
from ._media import MOST_FRAMES, MOST_PIXELS, Media, open_media
from ._mobile_sam import MobileSamSegmenter
from ._oracle import Oracle
from ._readers import RapidOcrReader, TesseractReader
from ._result import Cost, ToolResult
from ._sam import Sam2Segmenter, TransformersSamSegmenter
from ._segmenters import ComponentSegmenter, GrabCutSegmenter, OpenCvSegmenter, WatershedSegmenter
from ._toolbox import LONGEST_TRACK, Budget, Toolbox
from ._trace import KINDS, Mismatch, Step, Trace, describe_media, replay
from ._trackers import BlobTracker, TemplateTracker

__all__ = [
    "DEFAULTS",
    "GRID",
    "GROUP",
    "KINDS",
    "LONGEST_TRACK",
    "MOST_FRAMES",
    "MOST_PIXELS",
    "NAMES",
    "PROPERTIES",
    "TOOLS",
    "Backend",
    "Backends",
    "BlobTracker",
    "Budget",
    "ComponentSegmenter",
    "Cost",
    "ErrorCode",
    "GrabCutSegmenter",
    "Line",
    "Media",
    "Mismatch",
    "MobileSamSegmenter",
    "OpenCvSegmenter",
    "Oracle",
    "ParsedCall",
    "Position",
    "RapidOcrReader",
    "Reader",
    "Sam2Segmenter",
    "Segment",
    "Segmenter",
    "Step",
    "TemplateTracker",
    "TesseractReader",
    "ToolError",
    "ToolResult",
    "Toolbox",
    "Trace",
    "Tracker",
    "TransformersSamSegmenter",
    "WatershedSegmenter",
    "available_backends",
    "create_backend",
    "decode_mask",
    "describe_media",
    "encode_mask",
    "grid_box",
    "grid_point",
    "open_media",
    "parse_call",
    "pixel_box",
    "pixel_point",
    "render_evidence",
    "replay",
    "require_backends",
]
