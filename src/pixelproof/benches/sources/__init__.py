"""What several benches read: generated scenes, folders of files, frozen sets, and answers that exist as files.

- `SolidScenes`, `FlatScenes`, `CollageScenes` and `GeneratedScenes`, their base: scenes by seed and index, rendered
  once and cached.
- `FolderSource`: a data set in a folder, with helpers that read its images and name the file in errors.
- `FrozenSource`: items from a seed, verified against a manifest of content hashes; another edition is refused.
- `AnswerFolder` and `ReferenceAnswers`: answers in files, named after items or after references.
- `item_id`: the id of an item.
"""

from ._answer_files import MAX_ANSWER_BYTES
from ._answer_folder import AnswerFolder, answer_stem, answer_suffix
from ._answer_manifest import FAILURE_WORDS
from ._collage import CollageScenes
from ._file_names import IMAGE_SUFFIXES, key_of, list_images, strip_mark
from ._files import (
    FileEntry,
    FolderSource,
    file_hash,
    index_files,
    list_files,
    read_id_map,
    read_named_image,
    read_named_labels,
    read_photo,
    relative_path,
    require_folder,
)
from ._flat import FlatScenes
from ._frame_cache import Arrays, FrameCache
from ._frozen import FrozenSource
from ._item_id import item_id
from ._reference_answers import ReferenceAnswers
from ._scenes import GeneratedScenes, SceneFacts
from ._solid import SolidScenes

__all__ = [
    "FAILURE_WORDS",
    "IMAGE_SUFFIXES",
    "MAX_ANSWER_BYTES",
    "AnswerFolder",
    "Arrays",
    "CollageScenes",
    "FileEntry",
    "FlatScenes",
    "FolderSource",
    "FrameCache",
    "FrozenSource",
    "GeneratedScenes",
    "ReferenceAnswers",
    "SceneFacts",
    "SolidScenes",
    "answer_stem",
    "answer_suffix",
    "file_hash",
    "index_files",
    "item_id",
    "key_of",
    "list_files",
    "list_images",
    "read_id_map",
    "read_named_image",
    "read_named_labels",
    "read_photo",
    "relative_path",
    "require_folder",
    "strip_mark",
]
