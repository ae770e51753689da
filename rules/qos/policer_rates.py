"""The rates that a router's policers can be set to."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PolicerRates:
    """Whole numbers of a unit, up to a number where there is a limit. `units_bps` has the largest unit first."""

    units_bps: tuple[tuple[str, int], ...] = (("bps", 1),)
    max_number: int | None = None

    def expressed(self, rate_bps: int) -> tuple[int, str] | None:
        """A rate as a number of the largest unit that holds it exactly; None if there is none.

        Example:
            >>> PolicerRates((("mbps", 1_000_000), ("bps", 1))).expressed(1_500_000_000)
            (1500, 'mbps')
        """
        for unit, factor in self.units_bps:
            if rate_bps % factor == 0:
                number = rate_bps // factor
                return (number, unit) if self.max_number is None or number <= self.max_number else None
        return None

    def rounded_down(self, rate_bps: int) -> int:
        """The rate, in whole numbers of the smallest unit that holds it; unchanged where none does.

        Example:
            >>> rates = PolicerRates((("kbps", 1_000), ("bps", 1)), max_number=2**32 - 1)
            >>> rates.rounded_down(4_294_967_295), rates.rounded_down(4_714_285_714)
            (4294967295, 4714285000)
        """
        for _, factor in reversed(self.units_bps):
            if self.max_number is None or rate_bps // factor <= self.max_number:
                return rate_bps - rate_bps % factor
        return rate_bps


EVERY_RATE = PolicerRates()
