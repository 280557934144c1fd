"""Human ratings of generated images: one table for every data set, and splits of it.

- `load`: EvalMi-50K (tidy form or the authors' spreadsheets), AGIQA-3K, GenAI-Bench, or any table by column mapping.
- `Annotations`: images by generator and prompt with mean opinion scores, yes/no answers and component answers.
- `read_table`: CSV, Parquet, JSONL or XLSX as columns.
- `prompt_folds`, `generator_folds`, `image_folds`, `read_folds`: splits for everything that is fitted.
"""

from ._annotations import Annotations, Prompts
from ._load import load, load_mapped
from ._splits import Split, generator_folds, image_folds, prompt_folds, read_folds
from ._tables import Columns, as_numbers, as_texts, read_table

__all__ = [
    "Annotations",
    "Columns",
    "Prompts",
    "Split",
    "as_numbers",
    "as_texts",
    "generator_folds",
    "image_folds",
    "load",
    "load_mapped",
    "prompt_folds",
    "read_folds",
    "read_table",
]
