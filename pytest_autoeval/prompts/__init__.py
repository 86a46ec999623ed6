"""The prompts, as data: one template for each task and language. Imports no other room."""

from __future__ import annotations

from pytest_autoeval.prompts.loading import check_folder, load
from pytest_autoeval.prompts.template import PromptError, PromptTemplate, Role

__all__ = ["PromptError", "PromptTemplate", "Role", "check_folder", "load"]
