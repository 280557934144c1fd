"""Human ratings of generated images: one table for every data set, and splits of it.

- `load`: EvalMi-50K (tidy form or the authors' spreadsheets), AGIQA-3K, GenAI-Bench, or any table by column mapping.
- `Annotations`: images by generator and prompt with mean opinion scores, yes/no answers and component answers.
- `prompt_folds`, `generator_folds`, `image_folds`, `read_folds`: splits for everything that is fitted.
"""

from ._annotations import Annotations, Prompts, Split, generator_folds, image_folds, prompt_folds, read_folds
from ._load import load, load_mapped

__all__ = [
    "Annotations",
    "Prompts",
    "Split",
    "generator_folds",
    "image_folds",
    "load",
    "load_mapped",
    "prompt_folds",
    "read_folds",
]
