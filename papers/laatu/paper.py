"""The paper as data for a reproduction."""

from collections.abc import Sequence
from pathlib import Path

from hntes.papers.laatu.cases import MARKED, LaatuCase
from hntes.papers.laatu.measures import explain, measure
from hntes.papers.laatu.setup import setup
from hntes.papers.paper import Assumption, OtherValue, Paper
from hntes.simulator.scenario import Tcp


def _cases(experiment: str) -> list[LaatuCase]:
    return [LaatuCase(experiment, marked) for marked in MARKED]


def _setup(experiment: str) -> Sequence[str]:
    share = setup().assumed.assured_share_pct[experiment]
    told = f"{setup().duration_s} s each; assured forwarding has {share} % of the bottleneck `core1->core2`"
    return (f"{told}, committed rates add up to 16 %.",)


# Steps of half a second, timeouts of a second at least, acknowledgements held back for 200 ms, no SACK; and one host
# that has SACK and an exact clock, and acknowledges each segment.
_UNLIKE = {
    "tcp": Tcp(loss_recovery="newreno", timer_step_ms=500, min_rto_ms=1000, delayed_ack_ms=200),
    "last_flows_tcp": Tcp(
        loss_recovery="sack", timer_step_ms=0, min_rto_ms=200, delayed_ack_ms=40, quick_acks=2**31
    ),
    "background_flows": 4,
}  # fmt: skip

LAATU = Paper(
    name="laatu",
    publication=(
        "V. Laatu, J. Harju, P. Loula: Fairness Comparisons of Per-flow and Aggregate Marking Schemes in DiffServ "
        "Networks"
    ),
    experiments={
        "under": "Too small a share for the committed rates (tables 2 and 4)",
        "over": "More than the committed rates (tables 3 and 5)",
    },
    cells_folder=Path(__file__).parent / "cells",
    cases_of=_cases,
    measure=measure,
    explain=explain,
    setup_of=_setup,
    figures="hntes.papers.laatu.figures",
    assumptions=(
        Assumption(
            "share of assured forwarding, under",
            "15.9 %",
            "the paper says that it is below the committed 16 %; with more the throughput of table 2 would fit better",
            "under/per-flow",
            (OtherValue("15 %", {"assured_share_pct": {"under": 15.0, "over": 24}}),),
        ),
        Assumption(
            "share of assured forwarding, over",
            "24 %",
            "the paper says that it is above the committed 16 %",
            others=(OtherValue("18 %", {"assured_share_pct": {"under": 15.9, "over": 18}}),),
        ),
        Assumption(
            "background",
            "1 greedy TCP flow",
            "the paper says TCP, marked together; 4 flows take 8 % from the others and make their excess less even",
            others=(OtherValue("4 greedy TCP flows", {"background_flows": 4}),),
        ),
        Assumption(
            "averages of GRED",
            "the average of a colour includes better colours (RIO)",
            "fits thresholds that do not overlap; chosen after the runs, as own averages lose the order of the total "
            "throughput's fairness, which is therefore not judged",
            others=(OtherValue("each colour's own average", {"averages": "own"}),),
        ),
        Assumption(
            "delay of a link",
            "0.2 ms",
            "a laboratory; 0.1 to 10 ms move the indices of the excess by up to 0.04",
            others=tuple(OtherValue(f"{ms:g} ms", {"link_delay_us": ms * 1e3}) for ms in (0.1, 2, 10)),
        ),
        Assumption(
            "buffer",
            "3/4 of the 120 kB for assured forwarding",
            "its largest threshold is 60 packets",
            others=(OtherValue("half", {"assured_buffer_share_pct": 50}),),
        ),
        Assumption("sharing", "surplus round robin by shares", "the paper says CBQ and no more"),
        Assumption(
            "best effort",
            "UDP at the link's rate, datagrams of 1000 bytes",
            "it fills what is left of the link",
            others=(OtherValue("datagrams of 200 bytes", {"best_effort_payload_bytes": 200}),),
        ),
        Assumption(
            "hosts",
            "all alike",
            "nothing in the text tells them apart; three with the coarse timers of older systems beside one without, "
            "and 4 flows of background, would give what table 4 has, but were found with its values in view",
            others=(OtherValue("three of an older kind, one not, 4 background flows", _UNLIKE),),
        ),
    ),
)
