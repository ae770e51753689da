"""The base of all sections of the settings file."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from hntes.settings.units import has_unit, of_key


class Section(BaseModel):
    """A section: immutable, without unknown keys, without `true` in place of a number, numbers with or without unit."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _numbers(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        for name, value in given.items():
            field = cls.model_fields.get(name)
            # Python counts true as 1: `days = true` would be one day.
            if isinstance(value, bool) and field is not None and field.annotation is not bool:
                raise ValueError(f"{name} is {str(value).lower()}; give a number or a text, as the key requires")
        return {
            name: of_key(name, value)
            if isinstance(value, str) and name in cls.model_fields and has_unit(name)
            else value
            for name, value in given.items()
        }
