"""The current inputs of a judgement: its identity, and the traffic that its pairs match."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from functools import lru_cache
from typing import Any, Literal

from hntes.errors import HntesError
from hntes.etl.measure.measured_pairs import pairs_hash
from hntes.gate import MeasuredPeak, MeasuredTraffic, RedirectTarget
from hntes.platforms.render import render
from hntes.platforms.section import GENERATOR
from hntes.rules.changeset.candidate import PARSED, Candidate, CandidateStoreError, verify_files
from hntes.rules.pair_index import PairIndex
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Gate, Router
from hntes.simulator.version import engine_version
from hntes.sql import interface_loads
from hntes.sql.change import Change
from hntes.sql.decisions import base_problem
from hntes.sql.entries import JudgementEntry
from hntes.sql.host_totals import host_totals
from hntes.sql.judgements import identified, judgement_of
from hntes.sql.session import Session, reading
from hntes.sql.verdicts import blocking_reasons
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.folders import change_folder, router_folder
from hntes.workflow.running_configuration import judged_running
from hntes.workflow.shares import measured_peaks, read_load, redirect_target

# Keys of `[gate]` that only choose how runs are computed (engine, duration, seed) or do not affect them.
_PARAMETERS = ("engine", "run_s", "fairness_run_s", "seed")
_WITHOUT_EFFECT = ("workers",)
# How much of a judgement's inputs is computed again. A decision computes all. A page takes the sum of the day's alpha
# flows from the stored judgement, and does not render what this renderer wrote; a list takes all that was measured, and
# verifies a candidate by its hash alone.
Depth = Literal["decision", "page", "list"]


def verified_candidate(context: Context, router: Router, change: Change, depth: Depth = "decision") -> Candidate:
    """The candidate of a change, with its text and model verified against the database and each other.

    Their hashes in the database bind both. For a page that is enough if the present renderer wrote the text.

    Raises:
        CandidateStoreError: it is missing on disk, or its text or model was altered.
        CommandError: its model is not that of the change, or does not render to its text.
    """
    candidate = known_candidate(context, router, change.candidate_hash)
    what = f"{router.name}: candidate {change.candidate_hash[:12]} of {change.day}"
    if candidate.model_hash != change.model_hash:
        raise CommandError(f"{what}: its model on disk is not the one of the change; restore it from a backup")
    if not (depth == "page" and _is_of_this_renderer(candidate)) and not _renders(candidate):
        raise CommandError(
            f"{what}: its model does not render to its text; if HNTES was updated since then, run "
            f"`hntes nightly --day {change.day}` again"
        )
    return candidate


def _is_of_this_renderer(candidate: Candidate) -> bool:
    """Whether the text names the present renderer, which writes equal texts of equal models."""
    return f" generator: {GENERATOR}\n" in candidate.text


@lru_cache(maxsize=PARSED)
def _renders(candidate: Candidate) -> bool:
    """Whether the model renders to the text. Cached: the renderer does not change while the process runs."""
    return render(candidate.model) == candidate.text


def judgement_now(
    context: Context,
    router: Router,
    change: Change,
    candidate: Candidate,
    beta_peaks: Mapping[str, MeasuredPeak] | None = None,
    learned_bytes: int | None = None,
) -> JudgementEntry:
    """The current inputs of a judgement on a change's candidate, with its identity; writes nothing.

    `beta_peaks` and `learned_bytes` stand in for what was measured and seen.
    """
    peaks = beta_peaks_of(context, router, change.day) if beta_peaks is None else beta_peaks
    traffic = measured_traffic(
        context, router, change.day, candidate.pairs, learned_bytes, named=_candidate_pairs_hash(candidate)
    )
    target = redirect_target_of(context, router, change.day)
    sent = {} if target is None else {"redirect": asdict(target)}
    return _entry(
        context,
        router,
        change,
        peaks=_canonical({name: asdict(peak) for name, peak in peaks.items()} | sent),
        traffic=_canonical(asdict(traffic) | {"day": str(traffic.day)} if traffic is not None else {}),
    )


def _entry(context: Context, router: Router, change: Change, *, peaks: str, traffic: str) -> JudgementEntry:
    """The inputs that follow from settings and change, with what was measured."""
    settings = context.settings
    gate, chosen = gate_for(context, router).model_dump(), settings.detection
    plan: dict[str, Any] = {
        "plan": settings.plans[router.plan].model_dump(mode="json"),
        "interfaces": [each.model_dump(mode="json") for each in router.interfaces],
        "redirect": router.redirect.model_dump(mode="json") if router.redirect is not None else None,
    }
    running = judged_running(router)
    if running is not None:
        plan["running"] = hashlib.sha256(running.encode()).hexdigest()
    return identified(
        JudgementEntry(
            router=router.name,
            candidate_hash=change.candidate_hash,
            model_hash=change.model_hash,
            day=change.day,
            limits=_canonical({name: gate[name] for name in gate if name not in (*_PARAMETERS, *_WITHOUT_EFFECT)}),
            parameters=_canonical({name: gate[name] for name in _PARAMETERS}),
            plan=_canonical(plan),
            detection=_canonical(chosen.model_dump(mode="json")),
            peaks=peaks,
            traffic=traffic,
            engine_version=engine_version(),
        )
    )


def redirect_target_of(context: Context, router: Router, day: date) -> RedirectTarget | None:
    """Where the router sends its pairs, by what was measured of the days that end with this one."""
    return None if router.redirect is None else redirect_target(router, read_load(context, router, day))


def gate_for(context: Context, router: Router) -> Gate:
    """The gate's settings for a router: its round trips in place of the common ones, if it has its own."""
    gate = context.settings.gate
    return gate if router.round_trips_ms is None else gate.model_copy(update={"round_trips_ms": router.round_trips_ms})


def beta_peaks_of(context: Context, router: Router, day: date) -> dict[str, MeasuredPeak]:
    """The measured beta peaks of the days that end with this one, by port."""
    return measured_peaks(read_load(context, router, day), context.settings.shares)


def measured_traffic(
    context: Context, router: Router, day: date, pairs: frozenset[PrefixPair], learned_bytes: int | None = None,
    *, named: str | None = None,
) -> MeasuredTraffic | None:  # fmt: skip
    """What pairs take of a day's traffic; None if the day was not measured beside exactly these.

    `learned_bytes` replaces the sum of the day's alpha flows between hosts of the pairs, `named` their `pairs_hash`.
    """
    with reading(context.database) as session:
        measured = interface_loads.load_days(session, router.name, day, day)
        if not measured or measured[0].pairs_hash != (named or _pairs_hash(pairs)):
            return None
        loads = interface_loads.interface_loads(session, router.name, day, day)
        learned = _learned_bytes(session, router, day, pairs) if learned_bytes is None else learned_bytes
    alpha, beta = sum(each.alpha_bytes for each in loads), sum(each.beta_bytes for each in loads)
    return MeasuredTraffic(day, alpha + beta, alpha, learned)


def _learned_bytes(session: Session, router: Router, day: date, pairs: frozenset[PrefixPair]) -> int:
    index = PairIndex(pairs)
    seen = host_totals(session, router.name, day)
    believed = (each for each in seen if not each.implausible)
    return sum(each.flow_bytes for each in believed if index.holding(each.source, each.destination))


@lru_cache(maxsize=PARSED)
def _candidate_pairs_hash(candidate: Candidate) -> str:
    """Cached by candidate: to compare sets of thousands of pairs takes longer than the rest of a change's row."""
    return _pairs_hash(candidate.pairs)


def _pairs_hash(pairs: frozenset[PrefixPair]) -> str:
    return pairs_hash((pair.source, pair.destination) for pair in pairs)


def blocking_reasons_now(context: Context, change: Change, *, depth: Depth = "decision") -> list[str]:
    """The reasons why a change may not be approved now, one line each; empty if the gate passed its candidate.

    A scheduled change must also be based on approved rules.
    """
    problem = base_problem_now(context, change)
    return [*([problem] if problem else ()), *gate_reasons_now(context, change, depth=depth)]


def base_problem_now(context: Context, change: Change) -> str:
    """Why the rules of a pending scheduled change do not carry it yet, whatever the gate says of it; "" if they do."""
    if not change.is_scheduled or change.state != "pending":
        return ""
    with reading(context.database) as session:
        return base_problem(session, change) or ""


def gate_reasons_now(context: Context, change: Change, *, depth: Depth = "decision") -> list[str]:
    """The reasons of the gate why a change may not be approved now, one line each; empty if it passed the candidate.

    For a decided change only the stored verdicts count. The text of the rules alone needs no judgement of its own.
    """
    if change.is_scheduled and change.is_text_of_base:
        return []
    router = next((each for each in context.settings.routers if each.name == change.router), None)
    with reading(context.database) as session:
        stored = judgement_of(session, change.router, change.candidate_hash)
    holds = None
    if router is not None and change.state == "pending":
        try:
            holds = _judged_now(context, router, change, stored, depth)
        except HntesError as cause:
            return [str(cause)]
    with reading(context.database) as session:
        return blocking_reasons(session, change.router, change.candidate_hash, holds)


def _judged_now(
    context: Context, router: Router, change: Change, stored: JudgementEntry | None, depth: Depth
) -> JudgementEntry:  # fmt: skip
    """The inputs of a judgement now, after the candidate was verified.

    Raises:
        HntesError: the candidate is not what was rendered, or an input cannot be read.
    """
    if depth == "list" and stored is not None:
        try:
            verify_files(router_folder(context, router), change.candidate_hash, change.model_hash)
        except CandidateStoreError:
            verified_candidate(context, router, change)  # restores what was approved before
        return _entry(context, router, change, peaks=stored.peaks, traffic=stored.traffic)
    candidate = verified_candidate(context, router, change, depth)
    learned_bytes = _learned_of(stored) if depth == "page" else None
    return judgement_now(context, router, change, candidate, learned_bytes=learned_bytes)


def _learned_of(stored: JudgementEntry | None) -> int | None:
    """The bytes of alpha flows in the stored judgement; None without one."""
    try:
        traffic = json.loads(stored.traffic) if stored else {}
    except ValueError:  # altered in the database: no valid judgement
        return None
    learned = traffic.get("learned_bytes")
    return learned if isinstance(learned, int) else None


def edited_copy(context: Context, router: Router, change: Change) -> str | None:
    """A remark if the copy of the candidate in its day's folder was edited; None if it is intact or gone."""
    path = change_folder(context, router, change) / "candidate.conf"
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
    if found == change.candidate_hash:
        return None
    return (
        f"{path} differs from candidate {change.candidate_hash[:12]}: was it edited by hand? It is only a copy; the "
        "candidate is judged, approved and delivered. To judge another text, use `hntes stage judge --file`"
    )


def _canonical(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"))
