"""Trust in sampling factors: only that of the settings, or the one that the exporter always had.

A factor multiplies every record of an exporter, and anyone who can send the collector a datagram can name one. So a
new factor is not trusted until an operator adds it to the settings. Until then the smaller of the new and the known one
counts: forged records enlarge no flow, and true ones are not lost.
"""

from dataclasses import dataclass

import numpy as np

from hntes.etl.ingest.sampling import Factor
from hntes.etl.ingest.times import Bool, Int64


def believed(decided: Factor, is_unnamed: bool, packets: Int64, factors: frozenset[int]) -> Bool:
    """The records of one exporter and mark with a trusted factor.

    Args:
        decided: How their counters become estimates.
        is_unnamed: Whether the collector multiplied them by a rate that the file does not name.
        packets: As stored.
        factors: The trusted ones.

    Where the rate is not named, the stored packets of a record must be a multiple of a believed factor. Records that
    are not multiplied and have no announced factor are taken as they are, which makes no counter larger.
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
    """The treatment of records with an untrusted factor: divided by the collector's multiplier.

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
    """The conversion of records of one exporter and mark with the smaller of the trusted and the doubted factor.

    Args:
        decided: How their counters become estimates, if it is believed.
        is_unnamed: Whether the collector multiplied them by a rate that the file does not name.
        steps: Numbers that divide the bytes and the packets as they are stored: of all records, or of nearly all where
            the factor is named.
        baseline: The trusted factors.
        doubted: Those that earlier files announced and that are not trusted.

    None where the factor is believed, or where it is not certain what the collector multiplied by: then too many
    records are not multiples of it.
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
    """A warning on records with an untrusted factor, with the settings that make it trusted.

    `named` is 0 where the file does not name it; `taken` is the factor they were counted by, None where they were not.
    """
    known = " or ".join(f"1:{factor}" for factor in sorted(factors))
    found = f"1:{named}" if named else "a rate that the file does not announce"
    factor = named or "N"
    others = ", ".join(str(each) for each in sorted(factors) if each != named)
    done = f"they were counted with 1:{taken.factor}" if taken else "they were set aside"
    return (
        f"exporter {exporter}: {records} records are multiplied by {found}, known is {known}; {done}. If "
        f'its sampling has changed, add to router {router}: [[routers.sampling]] exporter = "{exporter}" '
        f"factor = {factor} allowed_factors = [{others}]; if not, the records are forged"
    )


def unannounced(router: str, exporter: str, taken: Factor, records: int) -> str:
    """A warning on records whose factor nothing in their file announces for them, with the settings that confirm it."""
    why = {
        "other_domain": f"the exporter announces 1:{taken.factor} for another observation domain",
        "former": f"its former files had 1:{taken.factor}",
    }[taken.source]
    return (
        f"exporter {exporter}: {records} records come without a sampling announcement; {why}, by which they were "
        f"multiplied. {_settings(router, exporter, taken.factor)}"
    )


def not_taken(router: str, exporter: str, other: int) -> str:
    """A warning on a factor of another observation domain that was not used, without the exporter's address."""
    return (
        f"it announces 1:{other} for another observation domain; its records without an announcement were unsampled in "
        f"former files and are taken as such. {_settings(router, exporter, other)}"
    )


def unused_sampler(router: str, exporter: str, announced: int, records: int) -> str:
    """A warning on unsampled records of an exporter whose sampler none of its records names."""
    return (
        f"exporter {exporter}: it announces 1:{announced} for a sampler that none of its {records} records names; they "
        f"are taken as unsampled. {_settings(router, exporter, announced)}"
    )


def _settings(router: str, exporter: str, factor: int) -> str:
    return (
        f'If they are sampled, add to router {router}: [[routers.sampling]] exporter = "{exporter}" factor = {factor}; '
        f"if not: factor = 1 allowed_factors = [{factor}]"
    )
