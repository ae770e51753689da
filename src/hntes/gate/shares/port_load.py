"""Daily loads of ports with alpha and beta queues, from stored loads of interfaces. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from hntes.format import counted
from hntes.settings.model import Interface, Router
from hntes.settings.shares import Shares
from hntes.sql.entries import DayEntry, InterfaceLoadEntry, LoadDayEntry

MINUTE_S = 60
UNKNOWN_INTERFACE = 0
# Records without an interface are reported above this share of a router's bytes.
UNKNOWN_SHARE_PCT = 1.0


@dataclass(frozen=True)
class LoadedDay:
    """One port's beta load on one day, in bit/s on the wire, each a mean over one clock minute.

    `chosen_bps` is the minute at the percentile of the settings, `peak_bps` the fullest, which began at `peak_ms`;
    `sd_bps` is one standard deviation of the fullest due to sampling, None at an unknown rate. `reason` says why the
    day is not complete. The router had flows in `minutes`; `implausible_minutes` of these showed more than the port
    carries and are in none of the rates. `busy_bps` is the busy hour's load, the 95th percentile of minutes,
    `p99_bps` what 99 % of them do not exceed.
    """

    day: date
    complete: bool
    reason: str
    chosen_bps: int
    peak_bps: int
    peak_ms: int
    sd_bps: int | None
    alpha_peak_bps: int
    implausible_minutes: int = 0
    minutes: int = 0
    busy_bps: int = 0
    p99_bps: int = 0

    @property
    def is_peak_minute(self) -> bool:
        return self.chosen_bps == self.peak_bps


@dataclass(frozen=True)
class PortLoad:
    """One port with alpha and beta queues: its measured days, and the wanted ones that were not measured."""

    router: str
    name: str
    snmp_indexes: tuple[int, ...]
    rate_bps: int
    days: tuple[LoadedDay, ...]
    unmeasured: tuple[date, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class OtherLoad:
    """Traffic of a router that left by no port of the settings, over the days: index 0 names no interface at all."""

    interface_index: int
    records: int
    bytes: int
    share_pct: float


@dataclass(frozen=True)
class RouterLoad:
    """The ports of one router, and what left by no core interface that the settings name."""

    router: str
    ports: tuple[PortLoad, ...]
    others: tuple[OtherLoad, ...]


def router_load(
    router: Router,
    measured: Sequence[LoadDayEntry],
    loads: Sequence[InterfaceLoadEntry],
    statuses: Iterable[DayEntry],
    until_day: date,
    shares: Shares,
) -> RouterLoad:
    """The loads of one router over the days of the settings that end with `until_day`."""
    wanted = [until_day - timedelta(days=back) for back in reversed(range(shares.days))]
    minutes = {entry.day: entry.minutes for entry in measured}
    status = {entry.day: entry for entry in statuses}
    others = _others(router, loads)
    ports = []
    for name, interfaces in _ports(router).items():
        indexes = tuple(each.snmp_index for each in interfaces if each.snmp_index is not None)
        mine = [entry for entry in loads if entry.interface_index in indexes]
        days = tuple(
            _loaded_day(day, status.get(day), _of_day(day, mine), shares, minutes[day], _not_yet(day, indexes, mine))
            for day in wanted
            if day in minutes and _is_known(interfaces, loads)
        )
        ports.append(
            PortLoad(
                router.name, name, indexes, interfaces[0].rate_bps, days,
                tuple(day for day in wanted if day not in minutes),
                _notes(name, interfaces, indexes, loads, others, bool(measured)),
            )
        )  # fmt: skip
    return RouterLoad(router.name, tuple(ports), others)


def _ports(router: Router) -> dict[str, list[Interface]]:
    """The interfaces with schedulers by port: the units of one port share its queues."""
    found: dict[str, list[Interface]] = {}
    for each in router.interfaces:
        if each.role in ("core", "both"):
            found.setdefault(each.name, []).append(each)
    return found


def _is_known(interfaces: list[Interface], loads: Sequence[InterfaceLoadEntry]) -> bool:
    """Whether records name every unit. An index that none names may be a wrong one: not a port without traffic."""
    return {each.snmp_index for each in interfaces} <= {entry.interface_index for entry in loads}


def _of_day(day: date, loads: Iterable[InterfaceLoadEntry]) -> list[InterfaceLoadEntry]:
    return [entry for entry in loads if entry.day == day]


def _not_yet(day: date, indexes: Iterable[int], loads: Sequence[InterfaceLoadEntry]) -> str:
    """Indexes without any record up to that day, in words: after a renumbering the port had another one."""
    missing = [str(each) for each in indexes if not any(e.interface_index == each and e.day <= day for e in loads)]
    return f"no record named index {', '.join(missing)} yet" if missing else ""


def _loaded_day(
    day: date, status: DayEntry | None, loads: list[InterfaceLoadEntry], shares: Shares, minutes: int, not_yet: str
) -> LoadedDay:
    """Units are added up as if their fullest minutes were one and the same: an upper bound, exact for a single one."""
    fullest = max(loads, key=lambda entry: entry.beta_peak_wire_bytes, default=None)
    sds = [entry.beta_peak_sd_bytes for entry in loads]
    known_sds = [sd for sd in sds if sd is not None]
    return LoadedDay(
        day=day,
        complete=status is not None and status.complete and not not_yet,
        reason="never settled" if status is None else status.reason if not status.complete else not_yet,
        chosen_bps=sum(_bps(_chosen(entry, shares)) for entry in loads),
        peak_bps=sum(_bps(entry.beta_peak_wire_bytes) for entry in loads),
        peak_ms=0 if fullest is None else fullest.beta_peak_ms or 0,
        sd_bps=sum(map(_bps, known_sds)) if len(known_sds) == len(sds) else None,
        alpha_peak_bps=sum(_bps(entry.alpha_peak_wire_bytes) for entry in loads),
        implausible_minutes=sum(entry.implausible_minutes for entry in loads),
        minutes=minutes,
        busy_bps=sum(_bps(entry.beta_p95_wire_bytes) for entry in loads),
        p99_bps=sum(_bps(entry.beta_p99_wire_bytes) for entry in loads),
    )


def _chosen(entry: InterfaceLoadEntry, shares: Shares) -> int:
    return {
        "95": entry.beta_p95_wire_bytes,
        "99": entry.beta_p99_wire_bytes,
        "99.9": entry.beta_p999_wire_bytes,
        "100": entry.beta_peak_wire_bytes,
    }[shares.percentile]


def _bps(bytes_per_minute: int) -> int:
    return -(-bytes_per_minute * 8 // MINUTE_S)


def _others(router: Router, loads: Sequence[InterfaceLoadEntry]) -> tuple[OtherLoad, ...]:
    """By share of the router's bytes, the largest first."""
    named = {each.snmp_index for each in router.interfaces if each.snmp_index is not None}
    total = sum(entry.beta_bytes + entry.alpha_bytes for entry in loads)
    found: dict[int, tuple[int, int]] = {}
    for entry in loads:
        if entry.interface_index not in named:
            records, byte_count = found.get(entry.interface_index, (0, 0))
            found[entry.interface_index] = (
                records + entry.records, byte_count + entry.beta_bytes + entry.alpha_bytes,
            )  # fmt: skip
    listed = [
        OtherLoad(index, records, byte_count, 100 * byte_count / total if total else 0.0)
        for index, (records, byte_count) in found.items()
    ]
    return tuple(sorted(listed, key=lambda other: (-other.bytes, other.interface_index)))


def _notes(
    name: str,
    interfaces: list[Interface],
    indexes: tuple[int, ...],
    loads: Sequence[InterfaceLoadEntry],
    others: tuple[OtherLoad, ...],
    was_measured: bool,
) -> tuple[str, ...]:
    notes = []
    if len(indexes) < len(interfaces):
        seen = ", ".join(f"{o.interface_index} ({o.share_pct:.3g}%)" for o in others[:4] if o.interface_index)
        notes.append(
            f"interface {name} has no snmp_index in the settings, so its flow records are not known; "
            f"records of unnamed interfaces leave by {seen or 'no index at all'}"
        )
    for index in indexes if was_measured else ():
        if not any(entry.interface_index == index for entry in loads):
            notes.append(f"no record has index {index} of {name}: check its snmp_index")
    wrong = sum(entry.implausible_minutes for entry in loads if entry.interface_index in indexes)
    if wrong:
        notes.append(f"{counted(wrong, 'minute')} above the rate of {name} skipped: the records are wrong or forged")
    if len(interfaces) > 1:
        notes.append(f"the units of {name} are added up as if their fullest minutes were one: an upper bound")
    for other in others:
        if other.interface_index == UNKNOWN_INTERFACE and other.share_pct > UNKNOWN_SHARE_PCT:
            notes.append(
                f"{other.records} records ({other.share_pct:.3g}% of the bytes) name no output interface "
                "and are in no port's load"
            )
    return tuple(notes)
