"""Criterion 9, reach: the traffic that the configuration moves out of the beta queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from hntes.gate.address_space import taken_share
from hntes.gate.criteria.criterion import Measure
from hntes.gate.verdict import Verdict, amount, outcome_of
from hntes.platforms.effective import EffectiveModel
from hntes.settings.model import Gate
from hntes.sql.entries import CriterionName


@dataclass(frozen=True)
class MeasuredTraffic:
    """Bytes of one measured day of a router: all, those that the text's pairs take, those they were learned from."""

    day: date
    total_bytes: int
    taken_bytes: int
    learned_bytes: int


@dataclass(frozen=True)
class Reach:
    """The text takes alpha flows out of the beta queue, and not all traffic.

    What it checks:
        Of the bytes that left the router on the day of the change, the part that the pairs take although no alpha
        flow of them was seen that day. And the part of all pairs of addresses that the text treats unlike other
        traffic. Of a redirect, what the port carries to which the pairs are sent.

    Why:
        A pair of short prefixes, or a few pins that together cover the address space, put everything into the alpha
        queue: each pair does reach it, and beta is not hurt in any run, as there is none left. It has no
        experiment.

    Limit:
        `reach_pct` of `[gate]`, 50: where half of all traffic is taken that is no alpha flow, the queues no longer part
        the two. `reach_space_pct`, 0.001: above 2,000 pairs of /16, far below one /8 towards everywhere.

    When it is wrong:
        A router whose pairs' hosts send most of its traffic, in flows below the threshold, is refused although
        nothing is wrong. Bytes are those that left by any interface, whichever they came in by.
    """

    name: CriterionName = "reach"
    title: str = "Does the text take alpha flows, and not other traffic with them?"
    runs: str = "none: the measured load, and the text"
    measures: tuple[Measure, ...] = (
        Measure("measured traffic that the pairs take, beside the alpha flows they were learned from", "reach_pct"),
        Measure("address space that the text treats unlike other traffic", "reach_space_pct"),
        Measure(
            "with a redirect whose port is named, what the pairs' fullest minute and beta's peak take of that port",
            limit_rule="100",
        ),
    )

    def verdicts(self, model: EffectiveModel, traffic: MeasuredTraffic | None, gate: Gate) -> Sequence[Verdict]:
        """The share of measured traffic, reported as unknown without a measurement, and that of the address space."""
        return [self._of_traffic(traffic, gate), self._of_space(model, gate)]

    def _of_traffic(self, traffic: MeasuredTraffic | None, gate: Gate) -> Verdict:
        limit = gate.reach_pct
        if traffic is None or traffic.total_bytes == 0:
            what = "the traffic of these pairs is not measured; only the address space is judged"
            return Verdict(self.name, "traffic", "reported", what, limit, None, "%")
        taken = 100 * traffic.taken_bytes / traffic.total_bytes
        learned = min(taken, 100 * traffic.learned_bytes / traffic.total_bytes)
        beside = round(taken - learned, 3)
        what = (
            f"the pairs take {taken:.3g}% of the traffic of {traffic.day}; the alpha flows they were learned from made "
            f"{learned:.3g}%"
        )
        return Verdict(self.name, "traffic", outcome_of(holds=beside <= limit), what, limit, beside, "%")

    def _of_space(self, model: EffectiveModel, gate: Gate) -> Verdict:
        share_pct = 100 * taken_share(model)
        limit = gate.reach_space_pct
        what = f"the text treats {amount(share_pct, limit)}% of all pairs of addresses unlike other traffic"
        return Verdict(self.name, "address_space", outcome_of(holds=share_pct <= limit), what, limit, share_pct, "%")


REACH = Reach()
