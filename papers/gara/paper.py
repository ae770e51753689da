"""The paper as data for a reproduction."""

from collections.abc import Sequence
from pathlib import Path

from hntes.papers.gara.cases import GaraCase, configurations
from hntes.papers.gara.measures import explain, measure
from hntes.papers.gara.setup import LinkFraming
from hntes.papers.paper import Assumption, OtherValue, Paper
from hntes.simulator.scenario import Atm

_RAN = {
    "car": "a transfer of 16.7 MB through a policer that drops.",
    "congestion": "20 s; TCP written at 11 MB/s, best effort of 5 MB/s from 4 s on; queues at port `core->edge2`.",
    "manager": (
        "60 s; 45 Mb/s of the slow link are a channel for reservations beside 80 Mb/s of best effort; three in the "
        "foreground come and go, one in the background has what they leave; rates in IP bytes, no cells."
    ),
    "queueing": "a burst of bandwidth times round trip, then the policed rate, beside 80 % best effort.",
}


def _cases(experiment: str) -> list[GaraCase]:
    return [GaraCase(experiment, configuration) for configuration in configurations(experiment)]


def _setup(experiment: str) -> Sequence[str]:
    return (_RAN[experiment],)


GARA = Paper(
    name="gara",
    publication=(
        "V. Sander, I. Foster, A. Roy, L. Winkler: A Differentiated Services Implementation for High-Performance TCP "
        "Flows. Computer Networks 34 (6), 2000"
    ),
    experiments={
        "car": "A transfer through a committed access rate: more burst, more throughput",
        "congestion": "Best effort comes: one queue, and weighted queues",
        "queueing": "How long a policed burst waits: rtt x/(0.99-x)",
        "manager": "Three foreground reservations and a background transfer, as a manager shares a channel",
    },
    cells_folder=Path(__file__).parent / "cells",
    cases_of=_cases,
    measure=measure,
    explain=explain,
    setup_of=_setup,
    figures="hntes.papers.gara.figures",
    assumptions=(
        Assumption(
            "committed access rate",
            "38.8 Mb/s",
            "the paper says that it is constant",
            "car/burst-200kb",
            tuple(OtherValue(f"{mbps} Mb/s", {"car_rate_bps": mbps * 1e6}) for mbps in (37, 42)),
        ),
        Assumption(
            "framing",
            "cells of ATM with LLC and SNAP on the slow link",
            "the paper says that it is ATM, and not how packets are put into it",
            others=(
                OtherValue("circuit of IP alone", {"framing": LinkFraming(Atm(encapsulation_bytes=0))}),
                OtherValue("none", {"framing": LinkFraming(framing_bytes=0)}),
            ),
        ),
        Assumption(
            "queue",
            "530 kB",
            "what the paper saw waiting in both classes; it is all that may wait here",
            others=tuple(OtherValue(f"{kb} kB", {"queue_bytes": kb * 1000}) for kb in (350, 800)),
        ),
        Assumption(
            "round-trip time",
            "2 ms",
            "the paper says 2 to 3",
            others=(OtherValue("3 ms", {"round_trip_ms": 3}),),
        ),
        Assumption(
            "round-trip time of the policed burst",
            "30 ms",
            "the rule is linear in it; at the testbed's 3 ms single packets moved the result by up to a half",
        ),
        Assumption("sharing", "surplus round robin by weights", "the routers' WFQ"),
        Assumption("windows", "1 MB in the transfers, too", "the paper names it for congestion"),
        Assumption(
            "reservations in the manager's channel",
            "10 Mb/s from 10 to 20 s, 20 from 15 to 30 s, 40 from 40 to 50 s; in the background 5 to 45 Mb/s",
            "the paper says that three are short-lived and one adapts; overlaps and a nearly full channel are hard",
        ),
    ),
)
