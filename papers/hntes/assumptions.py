"""Assumptions on the hosts that the paper of HNTES does not specify, and alternatives.

Parameters of hosts and routers that are inferred from single cells stand in docs/reference/simulator-parameters.md.
"""

from dataclasses import replace

from hntes.papers.paper import Assumption, OtherValue
from hntes.simulator.scenario import HostOptions, Tcp
from hntes.simulator.testbed.files import published_parameters

_PUBLISHED = published_parameters()


ASSUMPTIONS = (
    Assumption(
        "growth of host E1's windows",
        "H-TCP counts acknowledgements, one of which covers some 20 segments",
        "published, its windows grow 44 times more slowly after losses than by segments; why is not known, as H-TCP of "
        "the time counts segments; chosen with experiments 5 and 7 in view",
        others=(
            OtherValue("segments, as host E2", replace(_PUBLISHED, profiles={**_PUBLISHED.profiles, "E1": Tcp()})),
        ),
    ),
    Assumption(
        "segmentation offload",
        "at E2 alone",
        "published slow starts from E2 fill queues more slowly than those from E1, at which it would contradict "
        "experiment 4; chosen with experiment 7 in view",
        others=(OtherValue("nowhere", replace(_PUBLISHED, hosts={**_PUBLISHED.hosts, "E2": HostOptions()})),),
    ),
    Assumption(
        "receivers short of memory",
        "offer four segments and take nothing back, then grow",
        "as Linux 2.6.3x; published pings fall to 2 ms where a flow that has lost much falls silent; chosen with "
        "experiments 5 and 7 in view",
        others=(
            OtherValue(
                "their window is reduced at once",
                replace(_PUBLISHED, tcp=replace(_PUBLISHED.tcp, offered_window_closes=False)),
            ),
        ),
    ),
    Assumption(
        "stalls of hosts",
        "2.5 a second, of 200 us",
        "hosts are never undisturbed; with fewer, policed flows collapse less than published; chosen with experiments "
        "3 and 4 in view",
        others=tuple(
            OtherValue(f"{rate:g} a second", replace(_PUBLISHED, host=replace(_PUBLISHED.host, stalls_per_s=rate)))
            for rate in (1.0, 4.0)
        ),
    ),
    Assumption(
        "spacing of UDP datagrams",
        "moved by up to 30 % of their distance",
        "nuttcp paces in user space; policed flows leave a slow regime sooner; chosen with experiment 3 in view",
        others=(OtherValue("by up to 20 %", replace(_PUBLISHED, udp=replace(_PUBLISHED.udp, jitter=0.2))),),
    ),
    Assumption(
        "hosts of experiment 2",
        "flows from E2, E1, E1 and E2 in order of their start",
        "two from each host, and the aggregate exceeds one host's rate once the second flow starts; the rest is not "
        "published; chosen with experiment 2 in view",
    ),
)
