"""Fields of a JSON document of others: asked for by name and type; those that nobody asked for are known."""

from dataclasses import dataclass, field

from hntes.errors import HntesError


class PublishedError(HntesError, ValueError):
    """A document that cannot be read as a reservation; the message names the field and what to do."""


@dataclass
class Fields:
    """One JSON object and its path within the document, for messages."""

    content: dict[str, object]
    path: str
    _asked: set[str] = field(default_factory=set)
    _below: list["Fields"] = field(default_factory=list)

    @classmethod
    def of(cls, value: object, path: str) -> "Fields":
        """The object.

        Raises:
            PublishedError: it is none.
        """
        if not isinstance(value, dict):
            raise PublishedError(f"{path or 'the document'}: must be an object")
        return cls(value, path)

    def text(self, name: str) -> str | None:
        """A text, None where there is none.

        Raises:
            PublishedError: it is no text.
        """
        value = self._value(name)
        if value is not None and not isinstance(value, str):
            raise PublishedError(f"{self.at(name)}: must be a text")
        return value

    def whole(self, name: str) -> int | None:
        """A whole number, also as 1.0 or in quotes, None where there is none.

        Raises:
            PublishedError: it is no whole number.
        """
        value = self._value(name)
        if value is None:
            return None
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 18:
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            raise PublishedError(f"{self.at(name)}: must be a whole number")
        return int(value)

    def below(self, name: str) -> "Fields":
        """The object of that name, an empty one where there is none.

        Raises:
            PublishedError: it is no object.
        """
        value = self._value(name)
        self._below.append(Fields.of({} if value is None else value, self.at(name)))
        return self._below[-1]

    def each(self, name: str) -> list["Fields"]:
        """The objects of a list, none where there is no list.

        Raises:
            PublishedError: it is no list of objects.
        """
        value = self._value(name)
        if value is not None and not isinstance(value, list):
            raise PublishedError(f"{self.at(name)}: must be a list")
        found = [Fields.of(each, f"{self.at(name)}[{number}]") for number, each in enumerate(value or ())]
        self._below += found
        return found

    def has(self, name: str) -> bool:
        """Whether the object has a field of that name that says something."""
        return self.content.get(name) is not None

    def at(self, name: str) -> str:
        """The path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def unasked(self) -> tuple[str, ...]:
        """The paths of all fields, here and below, that nobody asked for, in their order."""
        own = [self.at(name) for name, value in self.content.items() if name not in self._asked and value is not None]
        return (*own, *(path for each in self._below for path in each.unasked()))

    def _value(self, name: str) -> object:
        self._asked.add(name)
        return self.content.get(name)
