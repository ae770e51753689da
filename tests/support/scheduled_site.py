"""An installation in which approved rules meet the book: r1 and r2 have a premium queue."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

from hntes import clock
from hntes.platforms.render import render
from hntes.rules.changeset.candidate import Candidate, write_candidate
from hntes.rules.changeset.wording import reserved_words
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.sql import overrides
from hntes.sql.change import Change
from hntes.sql.decisions import Verdict
from hntes.sql.entries import PinEntry
from hntes.sql.judgements import replace_judgement
from hntes.sql.session import transaction
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context, opened
from hntes.workflow.judgement import judgement_now, verified_candidate
from hntes.workflow.reports.audit_queries import audit_listing
from hntes.workflow.reservations.quota_approvals import approve_by_quota
from hntes.workflow.reservations.quotas import add_quota
from hntes.workflow.reservations.reserve import ReservationRequest, book
from hntes.workflow.reservations.scheduled_changes import propose_scheduled, reserved_in, scheduled_changes_of
from hntes.workflow.review.decide import Decision, Person, Request, decide
from hntes.workflow.stages.propose import propose as stage_propose
from tests.support.databases import migrated_sqlite
from tests.support.devices.farm import EmulatedRouter
from tests.support.gate_verdicts import passing
from tests.support.installation import Installation
from tests.support.many_routers import put_approved
from tests.support.qos_models import PAIRS
from tests.support.reserving import NOW_S

DAY = date(2026, 11, 23)
WEEK_S = 7 * 24 * 3600
R1, R2 = "r1:xe-0/0/1", "r2:xe-0/0/1"
FIRST, SECOND = "198.18.50.0/24>203.0.113.0/24", "198.18.51.0/24>203.0.113.0/24"
_HEAD = """[paths]
lake = "{folder}/lake"
output = "{folder}/output"
simulations = "{folder}/simulations"

[database]
url = "{url}"

{sections}
[plans.recommended]
kind = "two_queue"
{plan}

[reservations]
cap_pct = 33
{section}
"""
PLAN_WITHOUT_PREMIUM = "alpha_share_pct = 35\nbeta_share_pct = 20"
_PLAN = f"{PLAN_WITHOUT_PREMIUM}\npremium_share_pct = 40"
# A tenth of a port for reservations, served with 30 %: windows of 150 ms where a round trip takes 100.
# Its queue is idle but for windows, so that bursts of beta need rank or shares above alpha's.
JUDGED_PLAN = """alpha_share_pct = 25
alpha_buffer_pct = 30
alpha_priority = "medium-low"
beta_share_pct = 40
beta_buffer_pct = 35
beta_priority = "medium-high"
premium_share_pct = 30
premium_cap_pct = 10"""
_ROUTER = """
[[routers]]
name = "{name}"
platform = "{platform}"
flow_folder = "flows/{name}"
[[routers.interfaces]]
name = "{edge}"
role = "edge"
rate_bps = 10_000_000_000
[[routers.interfaces]]
name = "{core}"
role = "core"
rate_bps = 10_000_000_000
{more}
"""


def scheduled_site(
    folder: Path,
    database_url: str | None = None,
    *,
    section: str = "",
    sections: str = "",
    more: str = "",
    plan: str = _PLAN,
) -> Installation:
    """Settings over a migrated database; `more` is written to r1's table, `section` to that of reservations, `plan` to
    the plan's."""
    folder.mkdir(parents=True, exist_ok=True)
    url = database_url or migrated_sqlite(folder / "hntes.db")
    ports = {"edge": "xe-0/0/0", "core": "xe-0/0/1", "platform": "junos"}
    text = _HEAD.format(folder=folder, url=url, section=section, sections=sections, plan=plan)
    text += _ROUTER.format(name="r1", more=more, **ports) + _ROUTER.format(name="r2", more="", **ports)
    settings = folder / "hntes.toml"
    settings.write_text(text, encoding="utf-8")
    return Installation(settings, url, folder / "lake", folder / "output")


@contextmanager
def at(site: Installation) -> Iterator[Context]:
    with opened(site.settings) as context:
        yield context


def approve_rules(context: Context, name: str = "r1", day: date = DAY, pairs: Sequence[PrefixPair] = PAIRS) -> str:
    """Rules without reservations are approved for a router, as a decision would leave them; returns the text's hash."""
    router = context.settings.router(name)
    model = build_model(router, context.settings.plans[router.plan], pairs)
    candidate = Candidate(model, render(model))
    write_candidate(context.output / name, candidate)
    with transaction(context.database) as session:
        put_approved(session, name, day, candidate)
    return candidate.hash


def approve_night(context: Context, day: date, name: str = "r1", source: str = "192.0.2.0/24") -> Change:
    """A night without flows proposes one pinned pair and what is reserved now, the gate passes it, anna approves it."""
    router = context.settings.router(name)
    with transaction(context.database) as session:
        pin = PinEntry(name, source, "203.0.113.0/24", "anna", "weekly copy", day)
        overrides.add_pin(session, pin)
    change = stage_propose(context, router, day).change
    _pass(context, change)
    decision = decide_on(context, change, "approved", "anna")
    assert decision.outcome == "decided", decision
    return change


def reserve(context: Context, start_s: int, end_s: int, rate_bps: int = 10**9, **changes: object) -> int:
    """Books a foreground reservation across r1, which must fit; returns its number."""
    wanted = replace(ReservationRequest(FIRST, rate_bps, (R1,), "anna", "", start_s, end_s), **changes)
    booked = book(context, wanted)
    assert booked.refusal is None, booked.refusal
    return booked.reservation.number


def pass_gate(context: Context, name: str = "r1") -> None:
    """Stores passing verdicts, by the judgement that holds now, on all texts that wait at edges."""
    router = context.settings.router(name)
    for entry in scheduled_changes_of(context, router):
        if entry.state == "pending":
            _pass(context, entry)


def _pass(context: Context, entry: Change) -> None:
    router = context.settings.router(entry.router)
    holds = judgement_now(context, router, entry, verified_candidate(context, router, entry))
    with transaction(context.database) as session:
        replace_judgement(session, holds, passing(router.name, entry.candidate_hash))


def standing(context: Context, name: str = "r1") -> list[Change]:
    return list(scheduled_changes_of(context, context.settings.router(name)))


def propose(context: Context, name: str = "r1", until_s: int | None = None) -> None:
    """Makes the texts at edges, of which none may be impossible."""
    found = propose_scheduled(context, context.settings.router(name), until_s)
    assert found.failed_periods == ()


def premium_terms(context: Context, candidate_hash: str, name: str = "r1") -> list[str]:
    """The terms of reservations in a text of Junos, read from its lines."""
    candidate = known_candidate(context, context.settings.router(name), candidate_hash)
    lines = (line.split() for line in candidate.text.splitlines())
    return sorted(line[1] for line in lines if line[:1] == ["term"] and line[1].startswith("premium-"))


def by_quota(context: Context, name: str = "r1") -> list[tuple[str, str]]:
    """What quotas did: outcome and explanation of each text that waited."""
    return [(each.outcome, each.explanation) for each in approve_by_quota(context, context.settings.router(name))]


def grant(context: Context, gbps: int, start_s: int = NOW_S, end_s: int = NOW_S + WEEK_S) -> int:
    """A quota on r1's port; returns its number."""
    return add_quota(context, R1, gbps * 10**9, start_s, end_s, "otto", "weekly copies").number


def access(served: EmulatedRouter) -> str:
    """The table that says how an emulated router is reached, for r1's settings."""
    return (
        f'[routers.delivery]\naddress = "127.0.0.1"\nport = {served.port}\nuser = "hntes"\n'
        f'host_key = "{served.host_key}"\n'
    )


def decide_on(
    context: Context, entry: Change, verdict: Verdict, who: str, note: str | None = None, identity: str | None = None
) -> Decision:
    """A person of that name decides on a scheduled change as it was seen."""
    router = context.settings.router(entry.router)
    return decide(context, router, Request.on(entry, verdict), Person(who, note, identity), clock.now_ms())


def reserved(context: Context, entries: Sequence[Change]) -> list[str]:
    """What the texts of scheduled changes police, in words."""
    found = reserved_in(context, entries)
    return [reserved_words(found[each.change_id]) for each in entries]


def scheduled_log(context: Context) -> list[str]:
    """What the audit log says of scheduled changes, a word for each event."""
    events = audit_listing(context, None, ("propose", "supersede", "decide"), None, None)
    return [each.outcome for each in events if each.change_id and "/from/" in each.change_id]


def waiting_site(folder: Path, sections: str = "") -> Installation:
    """A text that the gate has passed waits from an hour after NOW_S to two, and the rules' own from then on."""
    site = scheduled_site(folder, sections=sections)
    with at(site) as context:
        approve_rules(context)
        reserve(context, NOW_S + 3600, NOW_S + 7200)
        propose(context)
        pass_gate(context)
    return site
