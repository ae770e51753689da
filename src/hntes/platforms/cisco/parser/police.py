"""Policers of IOS-XR and IOS-XE.

Sources: Cisco's QoS command references (`police rate` of IOS-XR, `police` of IOS-XE). By default packets above the rate
are dropped and those below transmitted; the default violate action drops on IOS-XR, where a second bucket is metered.
"""

from collections.abc import Iterable

from hntes.platforms.cisco.parser.text import distinct
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.cisco.syntax import PoliceSyntax
from hntes.platforms.effective import Policer, Treatment
from hntes.platforms.values import number
from hntes.rules.qos.model import LOSS_PRIORITIES

_UNITS = {"bps": 1, "kbps": 1_000, "mbps": 1_000_000, "gbps": 1_000_000_000}
_MOST = 10**13


def read_police(section: Section, syntax: PoliceSyntax) -> Policer:
    """The policer of one `police` section."""
    found = syntax.statement.fullmatch(section.text)
    if found is None:
        raise section.refused("rates and bursts are not understood; needs a rate in bit/s and bursts in bytes")
    section.take()
    values = found.groupdict()
    peak = values["pir"] and _rate(section, values["pir"], values.get("pir_unit"))
    excess = values["ebs"] and number(values["ebs"], 1, _MOST, section.line, section.text, "burst")
    if peak and not excess:
        raise section.refused("a peak rate needs an explicit peak burst")
    conform, exceed, violate = _treatments(section, syntax)
    if violate == exceed or (violate is None and not excess):
        # Two buckets with equal actions are one.
        peak, excess, violate = None, None, None
    elif violate is None:
        raise section.refused("has two buckets, but no action for traffic above the second")
    elif not excess:
        raise section.refused("distinguishes violating from exceeding traffic without a second burst")
    return Policer(
        committed_rate_bps=_rate(section, values["cir"], values.get("cir_unit")),
        committed_burst_bytes=number(values["cbs"], 1, _MOST, section.line, section.text, "burst"),
        peak_rate_bps=peak or None,
        excess_burst_bytes=excess or None,
        color_aware=False,
        conform=conform,
        exceed=exceed,
        violate=violate,
        scope="class",
        per_interface=True,
        name=section.text,
    )


def _rate(section: Section, digits: str, unit: str | None) -> int:
    factor = 1 if unit is None else _UNITS.get(unit)
    if factor is None:
        raise section.refused(f"rate unit {unit} is none of {', '.join(_UNITS)}")
    return factor * number(digits, 1, _MOST, section.line, section.text, "rate")


def _treatments(section: Section, syntax: PoliceSyntax) -> tuple[Treatment, Treatment, Treatment | None]:
    stated: dict[str, list[Section]] = {"conform-action": [], "exceed-action": [], "violate-action": []}
    for line in distinct(section):
        line.end()
        if line.words[0] not in stated:
            raise line.refused("is not an action of a policer")
        stated[line.words[0]].append(line)
    dropped = Treatment(discard=True)
    conform = _treatment(stated["conform-action"], syntax, Treatment())
    exceed = _treatment(stated["exceed-action"], syntax, dropped)
    if not stated["violate-action"]:
        return conform, exceed, syntax.unstated_violate
    return conform, exceed, _treatment(stated["violate-action"], syntax, dropped)


def _treatment(lines: Iterable[Section], syntax: PoliceSyntax, unstated: Treatment) -> Treatment:
    found: Treatment | None = None
    for line in lines:
        one = _action(line, syntax)
        line.take()
        if found is not None:
            plain = one.discard or found.discard or Treatment() in (one, found)
            if plain or (one.queue is None) == (found.queue is None):
                raise line.refused("contradicts another action for the same traffic")
            queue = found.queue if one.queue is None else one.queue
            loss = found.loss_priority if one.loss_priority is None else one.loss_priority
            one = Treatment(queue=queue, loss_priority=loss)
        found = one
    return unstated if found is None else found


def _action(line: Section, syntax: PoliceSyntax) -> Treatment:
    words = line.words[1:]
    if words == ("drop",):
        return Treatment(discard=True)
    if words == ("transmit",):
        return Treatment()
    if words[:-1] == syntax.class_mark:
        return Treatment(queue=number(words[-1], 0, 512, line.line, line.text, "qos-group"))
    if words[:-1] == syntax.loss_mark:
        level = number(words[-1], 0, len(LOSS_PRIORITIES) - 1, line.line, line.text, "discard-class")
        return Treatment(loss_priority=LOSS_PRIORITIES[level])
    raise line.refused("the action is not understood")
