"""The tx-queues of EOS ports, by their QoS profiles.

Sources: EOS User Manual, "Quality of Service", `priority (tx-queue)`, `bandwidth percent`: a queue is strict unless `no
priority` makes it round-robin; all queues below a round-robin one are round-robin, too; those share by weight what the
strict ones leave. `random-detect drop`: above the maximum threshold everything is dropped.
"""

import re

from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.effective import Buffer, Port, Queue
from hntes.platforms.eos.classes import CONTROL_QUEUE, class_name, queue_of
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.hardware import Ranking
from hntes.platforms.values import number

# Strict queues are served first, whatever their share.
RANKING = Ranking((("high",), ("low",)), is_strict=True)
_DROP = re.compile(
    r"random-detect drop minimum-threshold (\d+) bytes maximum-threshold (\d+) bytes drop-probability (\d+)"
)
_MOST_BYTES = 2**32 - 1


class QueueReader:
    """Reader of the QoS profiles of one text."""

    def __init__(self, root: Section) -> None:
        self.root = root
        self._profiles: dict[str, tuple[Queue, ...]] = {}

    def port(self, name: str, rate_bps: int, lines: list[Section]) -> Port:
        """The queues of a core port with these statements; none if nothing of HNTES is bound.

        Raises:
            ParseError: the port has another's profile, or that of HNTES cannot be parsed.
        """
        bound = [each for each in lines if each.begins("service-profile")]
        if not bound:
            return Port(name, rate_bps, ())
        if len(bound) > 1 or len(bound[0].words) != 2:
            raise bound[-1].refused("a port has one service-profile")
        return Port(name, rate_bps, self._profile(bound[0]), ranking=RANKING)

    def _profile(self, line: Section) -> tuple[Queue, ...]:
        line.end()
        line.take()
        name = line.words[1]
        if not OWN_NAME.fullmatch(name):
            raise line.refused("only a QoS profile of HNTES is understood on a judged port")
        if name not in self._profiles:
            found = [each for each in self.root if each.words == ("qos", "profile", name)]
            if len(found) != 1:
                raise line.refused(f"{len(found)} QoS profiles have this name; needs one")
            self._profiles[name] = _queues(found[0])
        return self._profiles[name]


def _queues(profile: Section) -> tuple[Queue, ...]:
    profile.take()
    found: dict[int, Queue] = {}
    for each in profile:
        if len(each.words) != 2 or each.words[0] != "tx-queue":
            raise each.refused("is not understood in a QoS profile: only `tx-queue N`")
        place = number(each.words[1], 0, CONTROL_QUEUE, each.line, each.text, "tx-queue")
        if place in found:
            raise each.refused(f"is configured twice, first in line {found[place].line}")
        each.take()
        found[place] = _queue(each, place)
    round_robin = max((place for place, queue in found.items() if queue.priority == "low"), default=0)
    for each in profile:
        if found[int(each.words[1])].priority == "high" and int(each.words[1]) < round_robin:
            raise each.refused(f"is strict below tx-queue {round_robin}, which is round-robin: then both are")
    return tuple(sorted(found.values(), key=lambda each: each.numbers))


def _queue(queue: Section, place: int) -> Queue:
    said: dict[str, Section] = {}
    for each in queue:
        each.end()
        kind = "priority" if each.words == ("no", "priority") else each.words[0]
        if kind in said:
            raise each.refused(f"says again, or otherwise, what line {said[kind].line} says")
        said[kind] = each
        each.take()
    limit, share = said.pop("random-detect", None), said.pop("bandwidth", None)
    rank = said.pop("priority", None)
    if rank is not None and rank.words not in (("no", "priority"), ("priority", "strict")):
        raise rank.refused("only `no priority` and `priority strict` are understood")
    is_shared = rank is not None and rank.words == ("no", "priority")
    for each in said.values():
        raise each.refused("is not understood in a tx-queue")
    if limit is None or is_shared is not (share is not None):
        raise queue.refused("needs `random-detect drop`, and both or none of `no priority` and `bandwidth percent`")
    number_of_model = queue_of(place)
    return Queue(
        numbers=(number_of_model,),
        code_points=(),
        forwarding_classes=(class_name(number_of_model),),
        is_default=False,
        share_pct=0 if share is None else _percent(share),
        ceiling="none",
        priority="low" if is_shared else "high",
        buffer=Buffer(_limit_bytes(limit), "bytes"),
        drops=(),
        average_weight=None,
        label=f"tx-queue {place}",
        line=queue.line,
    )


def _percent(line: Section) -> int:
    if line.words[:2] != ("bandwidth", "percent") or len(line.words) != 3:
        raise line.refused("only `bandwidth percent N` is understood")
    return number(line.words[2], 1, 100, line.line, line.text, "bandwidth")


def _limit_bytes(line: Section) -> int:
    said = _DROP.fullmatch(line.text)
    if said is None:
        raise line.refused("only `random-detect drop` with thresholds in bytes and a drop-probability is understood")
    first, last = (number(said[each], 1, _MOST_BYTES, line.line, line.text, "threshold") for each in (1, 2))
    if first != last - 1 or number(said[3], 1, 100, line.line, line.text, "drop-probability") != 100:
        raise line.refused("drops early: only a minimum of one byte below the maximum, and 100 per cent, is understood")
    return last
