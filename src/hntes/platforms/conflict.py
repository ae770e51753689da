"""Collisions between a candidate and a router's own configuration."""

from dataclasses import dataclass

from hntes.errors import HntesError


@dataclass(frozen=True)
class Collision:
    """One statement of the running configuration, by line (from 1; 0: none stands there), and why it collides.

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
    """A candidate that must not be proposed: the router's own configuration holds what it would meet."""

    def __init__(self, router: str, collisions: list[Collision]) -> None:
        found = sorted(collisions, key=lambda each: each.line)
        listed = "\n".join(f"  {each}" for each in found)
        super().__init__(f"router {router}: the plan collides with its running configuration:\n{listed}")
        self.collisions = tuple(found)
