"""The base of all sections of the settings file."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Section(BaseModel):
    """A section: immutable, without unknown keys, and without `true` in place of a number."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _no_word_for_a_number(cls, given: Any) -> Any:
        # Python counts true as 1: `days = true` would be one day.
        for name, value in given.items() if isinstance(given, dict) else ():
            field = cls.model_fields.get(name)
            if isinstance(value, bool) and field is not None and field.annotation is not bool:
                raise ValueError(f"{name} is {str(value).lower()}; give a number or a text, as the key requires")
        return given
