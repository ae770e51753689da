"""That an invariant of a world does not hold."""


class BrokenError(AssertionError):
    """An invariant does not hold. `name` is that of the invariant."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"{name}: {what}")
        self.name = name
