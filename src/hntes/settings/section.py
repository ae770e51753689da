"""What every section of the settings file has in common."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Section(BaseModel):
    """A section: no unknown keys, no change once it is read, and no `true` where a number is meant."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _no_word_for_a_number(cls, given: Any) -> Any:
        # Python counts true as 1: `days = true` would be one day.
        for name, value in given.items() if isinstance(given, dict) else ():
            field = cls.model_fields.get(name)
            if isinstance(value, bool) and field is not None and field.annotation is not bool:
                raise ValueError(f"{name} is {str(value).lower()}; give a number or a text, as the key asks for")
        return given
