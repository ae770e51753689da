"""What others announced of a pair's alpha flows: unauthenticated, so an explanation and never a reason for a rule."""

from collections.abc import Iterable
from dataclasses import dataclass

from hntes.format import long_gigabytes


@dataclass(frozen=True)
class AnnouncedUse:
    """The alpha flows of a pair that one source announced for one experiment and activity.

    `experiment` is a name, or says that it is unknown or disputed; `activity` is "" where unknown. `alpha_bytes` are
    NetFlow's of the flows' days, implausible flows left out; `announced_bytes` those that senders announced of them,
    None if none did.
    """

    source: str
    experiment: str
    activity: str
    flows: int
    alpha_bytes: int
    announced_bytes: int | None

    @property
    def purpose(self) -> str:
        """Experiment and activity in a few words."""
        return f"{self.experiment} / {self.activity}" if self.activity else self.experiment


def use_words(use: AnnouncedUse) -> str:
    """A use in one line."""
    announced = "" if use.announced_bytes is None else f", announced {long_gigabytes(use.announced_bytes)}"
    flows = "1 alpha flow" if use.flows == 1 else f"{use.flows} alpha flows"
    return f"{use.purpose} ({use.source}): {flows}, {long_gigabytes(use.alpha_bytes)}{announced}"


def purposes(uses: Iterable[AnnouncedUse]) -> str:
    """The purposes of a pair, the one of most bytes first; "" if nothing was announced."""
    by_bytes = sorted(uses, key=lambda use: (-use.alpha_bytes, use.purpose))
    return ", ".join(dict.fromkeys(use.purpose for use in by_bytes))
