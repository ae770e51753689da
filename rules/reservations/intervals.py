"""The calendar of one router as a sequence of configurations: the reservations that it polices, by time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hntes.rules.qos.reserved import Reserved
from hntes.rules.reservations.in_force import reserved_at
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation


@dataclass(frozen=True)
class Interval:
    """From `start_s` until before `end_s` (None: nothing changes any more) a router polices `reserved`, by number.

    `leads`: a rate starts or grows at its start, so that it is due on the router earlier; a change that only ends
    reservations is due at its start.
    """

    start_s: int
    end_s: int | None
    reserved: tuple[Reserved, ...]
    leads: bool


def intervals(
    reservations: Iterable[Reservation],
    limits: Mapping[Port, PortLimit],
    router: str,
    start_s: int,
    until_s: int,
    allowed: Callable[[Sequence[Reserved], int], tuple[Reserved, ...]] = lambda reserved, _: tuple(reserved),
) -> tuple[Interval, ...]:
    """The configuration at `start_s`, then each change up to `until_s`; moments in seconds since 1970, UTC.

    `reservations` are all valid ones, of any router, as for `reserved_at`. `allowed`: of what is reserved at a moment,
    what the router may police then; shares are those beside all that is reserved.
    """
    valid = [each for each in reservations if each.end_s > start_s]
    moments = {moment for each in valid for moment in (each.start_s, each.end_s)}

    def policed(moment_s: int) -> tuple[Reserved, ...]:
        return allowed(reserved_at(valid, limits, router, moment_s), moment_s)

    begun: list[tuple[int, tuple[Reserved, ...]]] = [(start_s, policed(start_s))]
    end_s: int | None = None
    for moment in sorted(each for each in moments if each > start_s):
        wanted = policed(moment)
        if wanted == begun[-1][1]:
            continue
        if moment > until_s:
            end_s = moment
            break
        begun.append((moment, wanted))
    ends = [*(begins for begins, _ in begun[1:]), end_s]
    before = [begun[0][1], *(wanted for _, wanted in begun)]
    return tuple(
        Interval(begins, ends_s, wanted, _grows(earlier, wanted))
        for (begins, wanted), ends_s, earlier in zip(begun, ends, before, strict=False)
    )


def _grows(before: Sequence[Reserved], after: Sequence[Reserved]) -> bool:
    rates = {each.name: each.rate_bps for each in before}
    return any(each.rate_bps > rates.get(each.name, 0) for each in after)
