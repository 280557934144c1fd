"""Prompts: wordings by name and version, palette pictures, and profiles of models."""

from ._pictures import palette_pictures
from ._profiles import PROFILES, Profile, find_profile, profile_for
from ._texts import PROMPTS, Wording
from ._writing import check_wording, find_wording, legend, write_prompt

__all__ = [
    "PROFILES",
    "PROMPTS",
    "Profile",
    "Wording",
    "check_wording",
    "find_profile",
    "find_wording",
    "legend",
    "palette_pictures",
    "profile_for",
    "write_prompt",
]
