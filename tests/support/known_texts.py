"""Texts whose effect on traffic is known: rendered ones, edited as an operator would, on ports of several buffers."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from hntes.gate import Subject
from hntes.rules.pairs import PrefixPair
from hntes.settings.plans import ScavengerPolicer, SingleQueue, TwoQueue, WredPolicer
from hntes.sql.entries import CriterionName
from tests.contract.platform.models import supports
from tests.support.gate_subjects import replaced, small_model, subject_of
from tests.support.qos_models import PLATFORMS, PUBLISHED

PAIRS = (
    PrefixPair.parse("198.18.10.0/24>203.0.113.0/24"),
    PrefixPair.parse("2001:db8:1::/64>2001:db8:2::/64"),
)
PLAN = TwoQueue(kind="two_queue")
Edit = Callable[[str], str]
# What a queue of the recommended plan has, in the words of each platform; None: of its whole port.
_LENGTH = {
    "junos": r"buffer-size percent (?P<share>\d+);",
    "iosxr": r"queue-limit (?P<ms>\d+) ms",
    "iosxe": r"queue-limit (?P<packets>\d+) packets",
    "sros": r"mbs (?P<pct>\d+\.\d+)",
    "eos": r"minimum-threshold \d+ bytes maximum-threshold (?P<bytes>\d+) bytes",
}
# The statements of a queue's share of the rate.
_SHARES = {
    "junos": ("transmit-rate percent {};",),
    "iosxr": ("bandwidth percent {}\n",),
    "iosxe": ("bandwidth percent {}\n",),
    "sros": (" cir {}\n", " weight {}\n", " cir-weight {}\n"),
    "eos": ("bandwidth percent {}\n",),
}
# Whose queues stand in another order than by number, alpha's before the others.
_ALPHA_FIRST = ("iosxr", "iosxe")
# At 10 Gb/s.
_BYTES_PER_MS = 1_250_000


@dataclass(frozen=True)
class KnownText:
    """A text for a router with a port of 10 Gb/s and such a buffer, and the criterion that must refuse it, if any."""

    name: str
    subject: Subject
    refused_by: CriterionName | None = None
    why: str = ""


def known(
    name: str,
    platform: str,
    edit: Edit = lambda text: text,
    refused_by: CriterionName | None = None,
    why: str = "",
    *,
    buffer_ms: float = 100,
    plan: TwoQueue | SingleQueue | ScavengerPolicer | WredPolicer = PLAN,
) -> KnownText:
    """A text as it is rendered, edited; as `hntes stage judge --file` takes it, on a port of that buffer."""
    model = small_model(platform, plan, PAIRS)
    subject = replace(subject_of(model, edit), expected=None, port_buffer_ms=buffer_ms)
    return KnownText(f"{platform}: {name}, {buffer_ms:g} ms of buffer", subject, refused_by, why)


def all_of(*edits: Edit) -> Edit:
    """One edit after the other."""

    def edit(text: str) -> str:
        for each in edits:
            text = each(text)
        return text

    return edit


def without(line: str) -> Edit:
    """Without the lines that hold this."""

    def edit(text: str) -> str:
        kept = [each for each in text.splitlines(keepends=True) if line not in each]
        assert len(kept) < len(text.splitlines()), f"the text no longer holds {line!r}"
        return "".join(kept)

    return edit


def shares(platform: str, alpha: int, beta: int) -> Edit:
    """Other shares of the rate, of queues as long as before."""
    edits = [
        replaced(each.format(old), each.format(new))
        for each in _SHARES[platform]
        for old, new in ((30, f"#{alpha}"), (65, beta), (f"#{alpha}", alpha))
    ]
    if platform == "iosxr":
        # its limits are times at the rate of the class
        edits += [replaced(f"queue-limit {ms} ms", f"queue-limit {new} ms")
                  for ms, new in ((183, round(5500 / alpha)), (62, round(4000 / beta)))]  # fmt: skip
    return all_of(*edits)


def lengths(platform: str, alpha_ms: float, beta_ms: float, buffer_ms: float = 100) -> Edit:
    """Queues for alpha and beta of these lengths in time at 10 Gb/s, on a port of that buffer."""

    def edit(text: str) -> str:
        found = re.findall(_LENGTH[platform], text)
        assert len(found) == 3
        wanted = {0: alpha_ms, 2: beta_ms} if platform in _ALPHA_FIRST else {0: beta_ms, 2: alpha_ms}
        for number, ms in sorted(wanted.items(), reverse=True):
            match = list(re.finditer(_LENGTH[platform], text))[number]
            share = 30 if ms is alpha_ms else 65
            text = text[: match.start()] + _length(platform, ms, share, buffer_ms) + text[match.end() :]
        return text

    assert max(alpha_ms, beta_ms) <= buffer_ms
    return edit


def _length(platform: str, length_ms: float, rate_share_pct: int, buffer_ms: float) -> str:
    length_bytes = round(length_ms * _BYTES_PER_MS)
    if platform == "sros":
        return f"mbs {100 * length_ms / buffer_ms:.2f}"
    if platform == "eos":
        return f"minimum-threshold {length_bytes - 1} bytes maximum-threshold {length_bytes} bytes"
    if platform == "junos":
        # microseconds at the queue's own rate
        return f"buffer-size temporal {round(length_ms * 1000 * 100 / rate_share_pct)};"
    if platform == "iosxr":
        return f"queue-limit {max(1, round(length_ms * 100 / rate_share_pct))} ms"
    return f"queue-limit {round(length_bytes / 1500)} packets"


def harmful() -> Iterator[KnownText]:
    """Texts that do harm."""
    yield from _wrong_words_of_junos()
    yield from _wrong_words_of_cisco()
    yield from _wrong_words_of_sros()
    yield from _wrong_words_of_eos()
    for platform in PLATFORMS:
        yield from _wrong_queues(platform)


def _wrong_words_of_junos() -> Iterator[KnownText]:
    def junos(name: str, edit: Edit, why: str = "") -> KnownText:
        return known(name, "junos", edit, "structure", why)

    accept = "            term default {\n                then accept;\n            }\n"
    other = replaced("forwarding-class alpha;", "forwarding-class network-control;")
    yield known("pairs in network control's queue", "junos", other, "throughput", "network-control")
    none = replaced("                    forwarding-class alpha;\n", "")
    yield known("pairs in beta's queue", "junos", none, "delay", "share")
    yield junos("everything is alpha", replaced("then accept;", "then {\n forwarding-class alpha;\n accept;\n}"))
    yield junos("no final term", replaced(accept, ""), "discard")
    yield junos(
        "pairs are discarded", replaced("alpha;\n                    accept;", "alpha;\n                    discard;")
    )
    yield junos("addresses swapped", all_of(
        replaced("source-address 198.18.10.0/24", "source-address 203.0.113.0/24"),
        replaced("destination-address 203.0.113.0/24", "destination-address 198.18.10.0/24"),
    ))  # fmt: skip
    yield junos("a /16 for a /24", replaced("source-address 198.18.10.0/24", "source-address 198.18.0.0/16"))
    yield junos("a /25 for a /24", replaced("source-address 198.18.10.0/24", "source-address 198.18.10.0/25"))
    yield junos("no IPv6 filter bound", replaced("input hntes-alpha-v6;", ""))
    yield junos("no scheduler map bound", replaced("            scheduler-map hntes;\n", ""))
    yield junos("no scheduler for beta", without("forwarding-class beta scheduler hntes-beta;"))
    yield junos("no scheduler for alpha", without("forwarding-class alpha scheduler hntes-alpha;"))
    yield junos("alpha and beta share a queue number", replaced("class alpha queue-num 4", "class alpha queue-num 0"))
    yield junos("more than the link", replaced("transmit-rate percent 30", "transmit-rate percent 65"), "135%")
    yield junos("more than the buffer", replaced("buffer-size percent 55", "buffer-size percent 90"), "135")
    yield junos("strict-high without a limit", replaced("priority medium-high", "priority strict-high"), "starve")
    exact = [replaced(f"transmit-rate percent {n};", f"transmit-rate {{ percent {n}; exact; }}") for n in (30, 65, 5)]
    short = replaced("buffer-size percent 40", "buffer-size temporal 250")
    yield known("250 us for beta", "junos", short, "bursts", "holds 0.163 ms")
    yield known("every queue exact", "junos", all_of(*exact), "throughput", "limited to its share")


def _wrong_words_of_cisco() -> Iterator[KnownText]:
    for platform in ("iosxr", "iosxe"):

        def cisco(name: str, edit: Edit, why: str = "", *, platform: str = platform) -> KnownText:
            return known(name, platform, edit, "structure", why)

        v4 = {
            "iosxr": "permit ipv4 198.18.10.0/24 203.0.113.0/24",
            "iosxe": "permit ip 198.18.10.0 0.0.0.255 203.0.113.0 0.0.0.255",
        }[platform]
        swapped = {
            "iosxr": "permit ipv4 203.0.113.0/24 198.18.10.0/24",
            "iosxe": "permit ip 203.0.113.0 0.0.0.255 198.18.10.0 0.0.0.255",
        }[platform]
        wide = v4.replace("198.18.10.0/24", "198.18.0.0/16").replace("198.18.10.0 0.0.0.255", "198.18.0.0 0.0.255.255")
        half = v4.replace("198.18.10.0/24", "198.18.10.0/25").replace("198.18.10.0 0.0.0.255", "198.18.10.0 0.0.0.127")
        yield cisco("pairs in another queue", replaced("set qos-group 4", "set qos-group 3"))
        yield cisco("everything is alpha", replaced("set qos-group 0", "set qos-group 4"))
        yield cisco("default is alpha", replaced("match qos-group 4", "match qos-group 0"))
        yield cisco("addresses swapped", replaced(v4, swapped))
        yield cisco("a /16 for a /24", replaced(v4, wide))
        yield cisco("a /25 for a /24", replaced(v4, half))
        yield cisco("pairs denied", replaced(v4, v4.replace("permit", "deny")))
        yield cisco("IPv6 not matched", without("match access-group ipv6 hntes-alpha-v6")
                    if platform == "iosxr" else without("match access-group name hntes-alpha-v6"))  # fmt: skip
        yield cisco("no input policy", without("service-policy input"))
        yield cisco("no output policy", without("service-policy output"))
        yield cisco("more than the link", replaced("bandwidth percent 30", "bandwidth percent 65"), "135%")


def _wrong_words_of_sros() -> Iterator[KnownText]:
    def sros(name: str, edit: Edit, why: str = "") -> KnownText:
        return known(name, "sros", edit, "structure", why)

    address = "address 198.18.10.0/24"
    yield known("pairs in network control's queue", "sros", replaced("fc h2\n", "fc l1\n"), "throughput", "queue 3")
    yield known("pairs in beta's queue", "sros", replaced("fc h2\n", "fc be\n"), "delay", "share")
    yield sros("pairs in a class without a queue", replaced("fc h2\n", "fc ef\n"))
    yield sros("everything is alpha", replaced("fc be {\n                queue 1", "fc be {\n                queue 5"))
    yield sros("no final accept", replaced("default-action accept", "default-action drop"), "discard")
    into, out = "                    accept\n", "                    drop\n"
    yield sros("pairs are discarded", all_of(replaced("                    fc h2\n", ""), replaced(into, out)))
    other = "address 203.0.113.0/24"
    yield sros("addresses swapped", all_of(replaced(address, "?"), replaced(other, address), replaced("?", other)))
    yield sros("a /16 for a /24", replaced(address, "address 198.18.0.0/16"))
    yield sros("a /25 for a /24", replaced(address, "address 198.18.10.0/25"))
    yield sros("no IPv6 filter bound", without("ipv6 hntes-alpha-v6"))
    yield sros("no queue policy bound", without("queue-policy hntes"))
    yield sros("more than the link", shares("sros", 65, 65), "135%")
    yield sros("more than the buffer", replaced("mbs 55.0", "mbs 90.0"), "135")


def _wrong_words_of_eos() -> Iterator[KnownText]:
    def eos(name: str, edit: Edit, why: str = "") -> KnownText:
        return known(name, "eos", edit, "structure", why)

    source, actions = "source prefix 198.18.10.0/24", "            count\n            set traffic class 4\n"
    default = "      match ipv4-all-default ipv4\n"
    control = replaced("set traffic class 4", "set traffic class 3")
    yield known("pairs in network control's queue", "eos", control, "throughput", "queue 3")
    yield known(
        "pairs in beta's queue", "eos", replaced("set traffic class 4", "set traffic class 1"), "delay", "share"
    )
    of_all = replaced(default, f"{default}         actions\n{actions}")
    yield eos("everything is alpha", of_all, "belongs to no pair and reaches the alpha queue")
    dropped = replaced(default, f"{default}         actions\n            drop\n")
    yield eos("all else is discarded", dropped, "reaches the end of hntes-alpha-v46 and is discarded")
    yield eos("pairs are discarded", replaced(actions, "            drop\n"), "is discarded")
    one, other = "198.18.10.0/24", "203.0.113.0/24"
    yield eos("addresses swapped", all_of(replaced(one, "?"), replaced(other, one), replaced("?", other)))
    yield eos("a /16 for a /24", replaced(source, "source prefix 198.18.0.0/16"))
    yield eos("a /25 for a /24", replaced(source, "source prefix 198.18.10.0/25"))
    yield eos("no traffic policy bound", without("traffic-policy input"))
    yield eos("no profile bound", without("service-profile"))
    yield eos("more than the link", replaced("bandwidth percent 30", "bandwidth percent 65"), "135%")
    strict = replaced("no priority\n      bandwidth percent 30", "priority strict")
    yield known("alpha's queue is strict", "eos", strict, "throughput", "takes it from the beta load")


def _wrong_queues(platform: str) -> Iterator[KnownText]:
    """Shares and lengths: what the simulator has to find out."""
    yield known("one queue for all", platform, plan=SingleQueue(kind="single_queue"), refused_by="delay", why="share")
    if supports(platform, "scavenger_policer"):
        scavenger = ScavengerPolicer(kind="scavenger_policer")
        yield known("a policer to a scavenger queue", platform, plan=scavenger, refused_by="throughput", why="policer")
    yield known("5% for beta", platform, shares(platform, 90, 5), "beta", "guaranteed 5%")
    yield known("20% for beta", platform, shares(platform, 75, 20), "beta", "guaranteed 20%")
    for buffer_ms in (100, 10):
        edit = lengths(platform, 2, 5, buffer_ms)
        yield known("2 ms for alpha", platform, edit, "throughput", "at a round trip of 20 ms", buffer_ms=buffer_ms)
    yield known("1 ms for alpha", platform, lengths(platform, 0.55, 0.8), "throughput")
    yield known("20 ms for alpha", platform, lengths(platform, 20, 30), "throughput", "at a round trip of 80 ms")
    yield known("40% for beta", platform, plan=PUBLISHED, refused_by="bursts", why="guaranteed 40%")
    yield known("50% for beta", platform, shares(platform, 45, 50), "bursts", "guaranteed 50%")
    yield known("0.65 ms for beta", platform, lengths(platform, 55, 0.65), "bursts", "holds 0.6")


def harmless() -> Iterator[KnownText]:
    """Texts that do none, though they are not what is rendered."""
    for platform in PLATFORMS:
        yield known("as rendered", platform)
        yield known("on a port of twice the buffer", platform, lengths(platform, 80, 60, 200), buffer_ms=200)
        yield known("60% for beta", platform, shares(platform, 35, 60))
        yield known("75% for beta", platform, shares(platform, 20, 75))
        yield known("a shorter queue for beta", platform, lengths(platform, 55, 20))
        yield known("a longer queue for alpha", platform, lengths(platform, 70, 20))
    yield known("tabs for blanks", "junos", _with_tabs)
    yield known("tabs for blanks", "iosxr", _with_tabs)
    source = "                    source-address 198.18.10.0/24;\n"
    halves = source.replace("10.0/24", "10.0/25") + source.replace("10.0/24", "10.128/25")
    yield known("two /25 for a /24, below its comment", "junos", replaced(source, halves))
    yield known("a comment of another pair", "junos", replaced("/* 198.18.10.0/24 >", "/* 198.18.20.0/24 >"))
    for platform, unit in (("iosxr", " kbps"), ("iosxe", "")):
        yield known("rates for per cent", platform, all_of(
            *(replaced(f"bandwidth percent {each}\n", f"bandwidth {each * 100_000}{unit}\n") for each in (30, 65, 5))
        ))  # fmt: skip


def _with_tabs(text: str) -> str:
    return re.sub("^ +", lambda blanks: "\t" * len(blanks.group()), text, flags=re.MULTILINE)
