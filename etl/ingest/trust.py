"""Whether a sampling factor is believed: the one of the settings, or the one that the exporter has always had.

A factor multiplies every record of an exporter, and anyone who can send the collector a datagram can name one. So a
factor that is new is not believed until a person has written it into the settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from etl.ingest.sampling import Factor
from etl.ingest.times import Bool, Int64


@dataclass(frozen=True)
class Usual:
    """What the files before one file say of its exporters' sampling.

    named: exporter -> the factors its records had; unnamed: exporters with records of which no factor was named.
    """

    named: Mapping[str, frozenset[int]] = field(default_factory=dict)
    unnamed: frozenset[str] = frozenset()

    def factors(self, exporter: str) -> frozenset[int] | None:
        """The factors that are believed without the settings; None where nothing is known of the exporter."""
        if exporter in self.named:
            return self.named[exporter]
        return frozenset({1}) if exporter in self.unnamed else None


NOTHING_KNOWN = Usual()


def believed(decided: Factor, is_unnamed: bool, packets: Int64, factors: frozenset[int] | None) -> Bool:
    """Which records of one exporter and mark have a factor that is believed.

    Args:
        decided: How their counters become estimates.
        is_unnamed: Whether the collector multiplied them by a rate that the file does not name.
        packets: As stored.
        factors: Those that are believed, None where any is: the exporter is new and the settings say nothing.

    Where the rate is not named, the stored packets of a record must be a multiple of a believed factor. Records that
    nobody multiplied or names a factor for are taken as they are, which makes no counter larger.
    """
    if factors is None or decided.source == "assumed_unsampled":
        return np.ones(packets.shape, dtype=np.bool_)
    if not is_unnamed:
        return np.full(packets.shape, decided.factor in factors)
    multiples: Bool = np.zeros(packets.shape, dtype=np.bool_)
    for factor in factors - {1}:
        multiples |= packets % factor == 0
    return multiples


def doubt(router: str, exporter: str, decided: Factor, records: int, factors: frozenset[int]) -> str:
    """What an operator must know of records whose factor is not believed, and the lines that make it believed."""
    known = " or ".join(f"1:{factor}" for factor in sorted(factors))
    found = f"1:{decided.factor}" if decided.factor else "a rate that the file does not name"
    factor = decided.factor or "N"
    others = ", ".join(str(each) for each in sorted(factors) if each != decided.factor)
    return (
        f"exporter {exporter}: {records} records are multiplied by {found}, known is {known}; they were set aside. If "
        f'its sampling has changed, write under router {router}: [[routers.sampling]] exporter = "{exporter}" '
        f"factor = {factor} other_factors = [{others}]; if not, someone else sends in its name"
    )
