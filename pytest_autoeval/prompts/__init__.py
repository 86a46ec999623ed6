"""The prompts, as data: one template for each task and language. Imports no other room."""

from __future__ import annotations

from pytest_autoeval.prompts.folders import check_folder
from pytest_autoeval.prompts.template import (
    PromptError,
    PromptTemplate,
    Role,
    Templates,
    load,
)

__all__ = ["PromptError", "PromptTemplate", "Role", "Templates", "check_folder", "load"]
