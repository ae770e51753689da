"""The kernel's runs: TCP alone, beside UDP in one queue or two, and policed into the lower of two priorities."""

from dataclasses import replace

from hntes.papers.linux.setup import Setup, setup
from hntes.papers.stated import Changes, StatedCase, changed, completed_plainly, tcp_flow
from hntes.simulator.scenario import (
    Actions,
    Conditioner,
    DelayEmulator,
    Flow,
    Host,
    HostOptions,
    Link,
    PingTraffic,
    Port,
    Queue,
    Rule,
    Scenario,
    Tcp,
    ToClass,
    TokenBucket,
    UdpTraffic,
    overlaid,
)

SENDERS = ("s1", "s2", "u", "p")
SCAVENGED_GBPS = {"udp-0": 0, "udp-1": 1, "udp-2": 2, "udp-3": 3}
# No card or driver of the kernel's hosts waits for anything.
_QUIET = HostOptions(interrupt_gap_us=0, stalls_per_s=0, stall_us=0)
_PING_BYTES = 84
_OTHERS = (Rule("udp", protocol="udp"), Rule("udp", protocol="icmp"))


class LinuxCase(StatedCase):
    """One run of the kernel."""

    paper = "linux"

    @property
    def name(self) -> str:
        """Such as `linux/scavenger/htcp/udp-1`."""
        return "/".join(part for part in (super().name, self.variant) if part)

    def scenario(self, seed: int, parameters: Changes | None = None) -> Scenario:
        """The scenario for the engine; `parameters` in place of keys of its [tcp], to see what a mechanism does."""
        case = setup(self.experiment_name, self.configuration, seed)
        udp_gbps = SCAVENGED_GBPS[self.variant] if self.variant else case.udp_gbps
        return completed_plainly(
            Scenario(
                name=self.name,
                duration_s=case.duration_s,
                interval_s=case.step_s,
                seed=seed,
                hosts=(*(_sender(name, case) for name in SENDERS), *(_answerer(name, case) for name in SENDERS)),
                routers=("r", "x"),
                links=_links(case),
                ports=(_port(case),),
                tcp=changed(_tcp(case), parameters),
                flows=_flows(case, udp_gbps),
            )
        )


def _host(name: str, options: HostOptions) -> Host:
    return Host(name=name, **vars(overlaid(_QUIET, options)))


def _sender(name: str, case: Setup) -> Host:
    has_card = case.has_card
    queue_bytes = case.card.queue_bytes if has_card else case.assumed.endless_queue_bytes
    return _host(name, HostOptions(nic_queue_bytes=queue_bytes, segmentation_offload=not has_card))


def _answerer(sender: str, case: Setup) -> Host:
    """The far end of what a sender sends, which delays what it answers: all delay lies on the way back."""
    delay_us = case.delay_ms[sender] * 1000 - _sending_us(sender, case) + case.assumed.later_us
    emulator = DelayEmulator(delay_us)
    queue_bytes = case.assumed.endless_queue_bytes
    return _host(_receiver(sender), HostOptions(nic_queue_bytes=queue_bytes, delay_emulator=emulator))


def _sending_us(sender: str, case: Setup) -> float:
    """What links take in the engine to send a packet and its answer, which token buckets and veth pairs do not."""
    packet_bytes = _PING_BYTES if sender == "p" else case.mtu_bytes
    answer_bytes = _PING_BYTES if sender == "p" else case.header_bytes
    endless_bps = case.assumed.endless_bps
    there = [_access_bps(sender, case), *([] if _is_bucket(case) else [case.rate_bps]), endless_bps]
    back = [endless_bps, case.rate_bps, _access_bps(sender, case)]
    ways = [(packet_bytes, there), (answer_bytes, back)]
    total_us: float = sum((ip_bytes + case.framing_bytes) * 8e6 / bps for ip_bytes, rates in ways for bps in rates)
    return total_us


def _is_bucket(case: Setup) -> bool:
    """Whether the router's port is a token bucket.

    A card of the same rate is one, too, which hosts here cannot have: both are links there, so that packets meet as
    they do. And sch_drr hands over what it has taken out: nothing waits for tokens.
    """
    has_like_card = case.has_card and case.card.rate_bps == case.rate_bps
    return not has_like_card and case.queues != "classes"


def _links(case: Setup) -> tuple[Link, ...]:
    endless_bps = case.assumed.endless_bps
    access = (_link(name, "r", _access_bps(name, case)) for name in SENDERS)
    answers = (_link("x", _receiver(name), endless_bps) for name in SENDERS)
    return (*access, _link("r", "x", case.rate_bps), *answers)


def _link(one: str, other: str, rate_bps: float) -> Link:
    return Link(one, other, rate_bps, delay_us=0)


def _access_bps(name: str, case: Setup) -> float:
    """Of a sender's link: the ping's host has no card."""
    has_card = case.has_card and name != "p"
    return float(case.card.rate_bps if has_card else case.assumed.endless_bps)


def _receiver(sender: str) -> str:
    return f"d{sender}"


def _port(case: Setup) -> Port:
    port = Port("r", "x", (_queue("tcp", 100, 100),), "tcp", buffer_bytes=case.buffer_bytes)
    if _is_bucket(case):
        port = replace(port, token_bucket_bytes=case.bucket_pkts * (case.mtu_bytes + case.framing_bytes))
    if case.queues == "classes":
        return replace(port, queues=(_queue("tcp", 60, 60), _queue("udp", 40, 40)), classifier=_OTHERS)
    if case.queues != "scavenger":
        return port
    told = case.scavenger
    low_pct = told.low_buffer_bytes / case.buffer_bytes * 100
    low = replace(_queue("low", 0.1, low_pct), priority=1, excess_priority=1)
    queues = (_queue("tcp", 49.95, 10), _queue("udp", 49.95, 10), low)
    meter = TokenBucket(told.policed_bps, told.burst_bytes)
    policer = Conditioner("tcp", meter, actions=Actions(red=ToClass("low")))
    return replace(port, queues=queues, classifier=_OTHERS, conditioners=(policer,))


def _queue(name: str, rate_pct: float, buffer_pct: float) -> Queue:
    return Queue(name, rate_share_pct=rate_pct, buffer_share_pct=buffer_pct)


def _tcp(case: Setup) -> Tcp:
    window_bytes = case.window_bytes
    return Tcp(
        profile="linux-6",
        segment_data_bytes=case.mtu_bytes - case.header_bytes,
        merge_segments=1,
        window_bytes=window_bytes,
        clamped_window_bytes=window_bytes,
    )


def _flows(case: Setup, udp_gbps: float) -> tuple[Flow, ...]:
    end_s = case.duration_s
    made = [
        tcp_flow(f"tcp{number}", flow.from_, _receiver(flow.from_), (flow.start_s, end_s), None, flow.congestion)
        for number, flow in enumerate(case.flows, 1)
    ]
    if udp_gbps:
        udp = UdpTraffic(
            rate_bps=udp_gbps * 1e9,
            datagram_bytes=case.udp_datagram_bytes,
            jitter=0,
            wakeup_slack_us=case.udp_wakeup_slack_us,
        )
        made.append(Flow("udp", "u", _receiver("u"), ((0, end_s),), udp))
    ping = PingTraffic(case.ping_interval_s, wakeup_slack_us=case.ping_wakeup_slack_us)
    return (*made, Flow("ping", "p", _receiver("p"), ((0, end_s),), ping))
