"""What the documents say is what the program does."""

import re
import tomllib
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from hntes.cli.reference import reference
from hntes.settings.model import Settings

ROOT = Path(__file__).resolve().parent.parent.parent.parent


def test_the_command_reference_is_what_the_help_says() -> None:
    written = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert written == reference(), "run: python -m hntes.cli.reference > docs/reference/commands.md"


def test_every_setting_is_explained_in_the_example_or_among_the_plans() -> None:
    example = (ROOT / "hntes.example.toml").read_text(encoding="utf-8")
    plans = (ROOT / "docs" / "reference" / "plans.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"[a-z0-9_]+", example)) | set(re.findall(r"`([a-z0-9_]+)`", plans))
    assert _keys(Settings) - explained == set()


def _keys(model: type[BaseModel]) -> set[str]:
    found: set[str] = set()
    for name, field in model.model_fields.items():
        found.add(name)
        for inner in _models(field.annotation):
            found |= _keys(inner)
    return found


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) is not None or isinstance(annotation, UnionType):
        return [model for part in get_args(annotation) for model in _models(part)]
    return []


def test_the_example_is_toml() -> None:
    assert tomllib.loads((ROOT / "hntes.example.toml").read_text(encoding="utf-8"))["routers"]
