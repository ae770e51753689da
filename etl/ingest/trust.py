"""Whether a sampling factor is believed: the one of the settings, or the one that the exporter has always had.

A factor multiplies every record of an exporter, and anyone who can send the collector a datagram can name one. So a
factor that is new is not believed until a person has written it into the settings. Until then the smaller of the new
and the known one counts: no flow becomes larger by a lie, and the true ones beside it are not lost.
"""

from dataclasses import dataclass

import numpy as np

from hntes.etl.ingest.sampling import Factor
from hntes.etl.ingest.times import Bool, Int64


def believed(decided: Factor, is_unnamed: bool, packets: Int64, factors: frozenset[int]) -> Bool:
    """Which records of one exporter and mark have a factor that is believed.

    Args:
        decided: How their counters become estimates.
        is_unnamed: Whether the collector multiplied them by a rate that the file does not name.
        packets: As stored.
        factors: Those that are believed.

    Where the rate is not named, the stored packets of a record must be a multiple of a believed factor. Records that
    nobody multiplied or names a factor for are taken as they are, which makes no counter larger.
    """
    if decided.source == "assumed_unsampled":
        return np.ones(packets.shape, dtype=np.bool_)
    if not is_unnamed:
        return np.full(packets.shape, decided.factor in factors)
    multiples: Bool = np.zeros(packets.shape, dtype=np.bool_)
    for factor in factors - {1}:
        multiples |= packets % factor == 0
    return multiples


@dataclass(frozen=True)
class Lowered:
    """What is done with records of a factor that is not believed: divided by what the collector multiplied them by.

    named: the factor that is not believed; divide_by: 1 where the stored counters are not multiplied, or stay.
    """

    named: int
    divide_by: int
    factor: Factor


def is_doubtful(decided: Factor, is_unnamed: bool, baseline: frozenset[int], doubted: frozenset[int]) -> bool:
    """Whether `lowered` may have something to lower; then the steps of all counters must be known.

    The arguments are those of `lowered`.
    """
    if decided.source == "assumed_unsampled":
        return False
    return bool(doubted - baseline) if is_unnamed else decided.factor not in baseline


def lowered(
    decided: Factor, is_unnamed: bool, steps: tuple[int, int], baseline: frozenset[int], doubted: frozenset[int]
) -> Lowered | None:
    """How records of one exporter and mark are read by the smaller of two factors, the believed and the doubted one.

    Args:
        decided: How their counters become estimates, if it is believed.
        is_unnamed: Whether the collector multiplied them by a rate that the file does not name.
        steps: The largest numbers that divide all bytes and all packets as they are stored.
        baseline: The factors that are believed.
        doubted: Those that were named by earlier files and not believed.

    None where the factor is believed, or where it is not certain what the collector multiplied by: then some record is
    not a multiple of it.
    """
    if not is_doubtful(decided, is_unnamed, baseline, doubted):
        return None
    if is_unnamed:
        rates = [rate for rate in sorted(doubted - baseline, reverse=True) if _divides(rate, steps)]
        if not rates:
            return None
        named = rates[0]
    else:
        named = decided.factor
    least = min(*baseline, named)
    if decided.multiply > 1:
        return Lowered(named, 1, Factor(least, least, "lowered"))
    if least == named:
        return Lowered(named, 1, Factor(1, named, "lowered"))
    if not _divides(named, steps):
        return None
    return Lowered(named, named, Factor(least, least, "lowered"))


def _divides(rate: int, steps: tuple[int, int]) -> bool:
    return not any(step % rate for step in steps)


def doubt(
    router: str, exporter: str, named: int, records: int, factors: frozenset[int], taken: Factor | None = None
) -> str:
    """What an operator must know of records whose factor is not believed, and the lines that make it believed.

    `named` is 0 where the file does not name it; `taken` is the factor they were counted by, None where they were not.
    """
    known = " or ".join(f"1:{factor}" for factor in sorted(factors))
    found = f"1:{named}" if named else "a rate that the file does not name"
    factor = named or "N"
    others = ", ".join(str(each) for each in sorted(factors) if each != named)
    done = f"they were counted as 1:{taken.factor}" if taken else "they were set aside"
    return (
        f"exporter {exporter}: {records} records are multiplied by {found}, known is {known}; {done}. If "
        f'its sampling has changed, write under router {router}: [[routers.sampling]] exporter = "{exporter}" '
        f"factor = {factor} allowed_factors = [{others}]; if not, someone else sends in its name"
    )
