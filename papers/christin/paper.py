"""The paper as data for a reproduction."""

from collections.abc import Sequence
from pathlib import Path

from hntes.papers.christin.cases import ChristinCase, ClassesCase
from hntes.papers.christin.measures import explain, measure
from hntes.papers.christin.setup import setup
from hntes.papers.paper import Address, Assumption, OtherValue, Paper


def _cases(experiment: str) -> list[ChristinCase] | list[ClassesCase]:
    if experiment == "1":
        return [ChristinCase(experiment, discipline) for discipline in setup().disciplines]
    return [ClassesCase(experiment, name) for name in ("unregulated", *setup().classes.markings)]


def _setup(experiment: str) -> Sequence[str]:
    if experiment == "1":
        flows = f"{setup().greedy_flows} greedy and {setup().on_off_flows} on-off TCP flows"
        return (f"{setup().duration_s} s each; {flows} through 10 Mb/s and a buffer of 150 kB.",)
    classes = setup().classes
    flows = f"four classes of {classes.greedy_flows_per_class} greedy and 5 to 20 on-off TCP flows"
    return (f"{classes.duration_s} s each; {flows} through 45 Mb/s and a shared buffer of 250 kB.",)


CHRISTIN = Paper(
    name="christin",
    publication=(
        "N. Christin, J. Liebeherr: Marking Algorithms for Service Differentiation of TCP Traffic. Computer "
        "Communications 28 (18), 2005"
    ),
    address=Address("https://doi.org/10.18130/V3TB6G", "the authors' report of the same title, 2003"),
    experiments={
        "1": "Losses of a congested link by drop tail, RED, PI and the paper's own markers",
        "2": "Guarantees of four classes, without regulation of TCP flows and with it",
    },
    cells_folder=Path(__file__).parent / "cells",
    cases_of=_cases,
    measure=measure,
    explain=explain,
    setup_of=_setup,
    figures="hntes.papers.christin.figures",
    assumptions=(
        Assumption(
            "RED marks below",
            "a drop probability of 0.1",
            "ns-2 has such a limit (`mark_p_`), by default this one as far as we know; put in once RED was seen "
            "to lose 0.1 % with marks alone",
            "1/red",
            (OtherValue("any", {"red_marks_below": 1.0}),),
        ),
        Assumption(
            "windows",
            "at most 140 packets",
            "the paper names no limit; with 20 packets losses differ by 0.5 points",
            others=(OtherValue("20 packets", {"window_pkts": 20}),),
        ),
        Assumption(
            "selective acknowledgements",
            "used",
            "the paper says NewReno; the simulator's TCP has them",
            others=(OtherValue("not used", {"selective_acknowledgements": False}),),
        ),
        Assumption("headers", "40 of the 500 bytes", "the paper gives the size of packets"),
        Assumption(
            "settled from",
            "30 s on",
            "chosen after the runs; over the whole run the exact PI loses 0.8 %",
        ),
        Assumption(
            "rounds",
            "begin with an estimate of 100 ms; a pause of a second begins anew",
            "the paper gives K and a only; a flow that is overdue by more than a round trip is not projected",
        ),
        Assumption(
            "thresholds of the filter",
            "a third of M in each stage",
            "as Estan and Varghese share a threshold among the stages of a serial filter",
        ),
        Assumption(
            "marks of the heuristic",
            "excess over what one mark saves of the mean window, for the flows caught first",
            "the paper says that the excess decides; a mark saves what its flow sends, which rho does not scale",
        ),
        Assumption(
            "allocation of rates",
            "equal rates to begin with, promised needs taken from the last classes, then feedback on delays",
            "the paper builds on Christin, Liebeherr, Abdelzaher (INFOCOM 2002); gains and order of steps are theirs; "
            "in their program for ns-2 (JoBS) a class is credited with its rate only when a packet of its own comes",
            others=(OtherValue("credits as in JoBS", {"credits_at_arrivals": True}),),
        ),
        Assumption(
            "needs in the projection",
            "packets that are yet to come have all of their class's delay bound",
            "D_n is the age of the first packet that waits; of a projected one it is zero",
        ),
        Assumption("throughput of class 1", "by half seconds, from 10 s on", "the paper does not say over what time"),
        Assumption(
            "access links",
            "100 Mb/s, a host for each flow",
            "they shall not be the bottleneck",
            others=(OtherValue("1 Gb/s", {"access_bps": 1e9}),),
        ),
    ),
)
