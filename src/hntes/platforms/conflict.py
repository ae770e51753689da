"""Collisions between a candidate and a running configuration."""

from dataclasses import dataclass

from hntes.errors import HntesError


@dataclass(frozen=True)
class Collision:
    """One statement of the running configuration that collides, by line (from 1; 0: it is missing), and the reason.

    Example:
        >>> str(Collision(12, "interfaces xe-0/0/0", "is in the way"))
        'line 12: `interfaces xe-0/0/0`: is in the way'
    """

    line: int
    statement: str
    reason: str

    def __str__(self) -> str:
        return (
            f"line {self.line}: `{self.statement}`: {self.reason}" if self.line else f"{self.statement}: {self.reason}"
        )


class CollisionError(HntesError):
    """A candidate that must not be proposed, since it collides with the running configuration."""

    def __init__(self, router: str, collisions: list[Collision]) -> None:
        found = sorted(collisions, key=lambda each: each.line)
        listed = "\n".join(f"  {each}" for each in found)
        super().__init__(f"router {router}: the plan collides with its running configuration:\n{listed}")
        self.collisions = tuple(found)
