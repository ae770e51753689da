"""A part of a result that is all that is read of it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Reading:
    """What is read from a moment on: the goodput of all TCP flows, or loss and delay of what is beside them."""

    kind: Literal["goodput", "beside"]
    from_s: float
