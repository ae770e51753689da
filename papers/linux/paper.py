"""The kernel's runs as data for a reproduction."""

from collections.abc import Sequence
from pathlib import Path

from hntes.papers.linux.cases import SCAVENGED_GBPS, LinuxCase
from hntes.papers.linux.measures import explain, measure
from hntes.papers.linux.setup import configurations
from hntes.papers.paper import Assumption, Paper

_ABOUT = {
    "alone": "one flow in a queue of 100 ms, round trip 2 ms, MTU 9000 or 1500; at 1 Gb/s 50 ms, queues of 100 or 10",
    "two": "two flows, the second after 10 s, or after 4 s at 1 Gb/s; round trips 2 and 2.3 ms",
    "shared": "one flow beside 3 Gb/s of UDP in one queue: without a card, with one, and with UDP sent exactly in time",
    "classes": "one flow beside 3 Gb/s of UDP, each in its class, 60 and 40 % in turn",
    "bbr": "BBR alone, and BBR that joins CUBIC after 5 s; round trips 20 and 80 ms, queues of 55, 20 and 2.75 ms",
    "streams": "4 and 16 flows from one host, 13.7 ms apart, queue of 20 ms, round trips 20 and 80 ms; CUBIC or BBR",
    "bbr3": "BBR version 3 alone, joining CUBIC after 5 s, and in 4 and 16 streams; networks as for version 1",
    "scavenger": "one flow, all above 1 Gb/s of it in a queue served last, beside 0 to 3 Gb/s of UDP",
    "further": "all of these with other rates, round trips, buffers, controls and loads (setup.toml)",
}


def _cases(experiment: str) -> list[LinuxCase]:
    variants = list(SCAVENGED_GBPS) if experiment == "scavenger" else [""]
    return [
        LinuxCase(experiment, configuration, variant)
        for configuration in configurations(experiment)
        for variant in variants
    ]


def _setup(experiment: str) -> Sequence[str]:
    return (f"10 Gb/s, 125 MB unless said; {_ABOUT[experiment]}.",)


LINUX = Paper(
    name="linux",
    publication=(
        "Linux 6.1 (Debian 6.1.192) itself: User-Mode Linux in virtual time, hosts and router as name spaces joined by "
        "veth pairs, without offloads; measured for this comparison. BBR version 3 is of Google's kernel, built into it"
    ),
    experiments={
        "alone": "Start, queueing delay and losses of H-TCP, Reno and CUBIC alone",
        "two": "Two H-TCP flows, one later",
        "shared": "H-TCP beside UDP in one queue",
        "classes": "H-TCP beside UDP in two classes",
        "scavenger": "H-TCP policed into a queue served last",
        "bbr": "BBR alone and beside CUBIC",
        "streams": "Parallel streams of one transfer, by CUBIC or by BBR",
        "bbr3": "BBR version 3 alone, beside CUBIC, and in parallel streams",
        "further": "All of these in other networks, which nothing was made for",
    },
    cells_folder=Path(__file__).parent / "cells",
    cases_of=_cases,
    measure=measure,
    explain=explain,
    setup_of=_setup,
    assumptions=(
        Assumption(
            "access links",
            "1 Tb/s where the kernel's sender has no card, 100 Tb/s where a sender paces",
            "its packets reach the router in no time; a paced buffer comes before or behind another one as a whole",
        ),
        Assumption(
            "receivers",
            "one for each sender, with a delay emulator for the round trip less what links take",
            "the kernel delays on the way back, and its veth pairs and token buckets take no time",
        ),
        Assumption(
            "round trips",
            "50 ns longer, 1 ns where a sender paces; a token bucket hands over before it takes in what comes then",
            "segments find the room that a departure of the same nanosecond has made; with 50 to 500 ns the same",
        ),
        Assumption(
            "priority of the queue served last",
            "work-conserving shares of 49.95, 49.95 and 0.1 %, and what is above them by priority, too",
            "the kernel's two strict priorities; the higher one is never overloaded",
        ),
        Assumption(
            "variants without a card",
            "segments of a buffer 0.07 microseconds apart",
            "the kernel hands over buffers of up to 64 KB, cut into segments in no time",
        ),
        Assumption(
            "variants with a card of the port's rate",
            "the card and the router's port are links",
            "both are token buckets, so that packets of one size meet at the port as they do behind two links",
        ),
        Assumption(
            "judged where pings do not wait",
            "within 0.1 ms",
            "a tenth of a queueing delay of 1 to 20 microseconds is less than a packet takes on the link",
        ),
    ),
)
