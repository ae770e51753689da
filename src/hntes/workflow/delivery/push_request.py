"""Building of push requests: the texts before and after, the verification, and the records."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import partial

from hntes.delivery.journal import Entry, Journal
from hntes.delivery.load_watch import LoadWatch
from hntes.delivery.request import PushRequest
from hntes.delivery.verify import check_effect, check_part, run_probes
from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect
from hntes.rules.changeset.candidate import Candidate
from hntes.settings.model import Router
from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.session import transaction
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.folders import router_folder


def router_journal(context: Context, router: Router) -> Journal:
    """The journal of the pushes to a router."""
    return Journal(router_folder(context, router) / "delivery" / "journal.json")


def push_request(
    context: Context, router: Router, from_hash: str | None, candidate: Candidate, day: date | None,
    require_allowed: Callable[[], None], *,
    is_known: bool = False, only_finishes: bool = False, watch: LoadWatch | None = None,
) -> PushRequest:  # fmt: skip
    """The push from a text, by its hash (None: nothing of HNTES), to a candidate's; `watch` reads the router's load.

    `require_allowed` is that of the request.

    Raises:
        CandidateStoreError: the text before is lost.
        CommandError: the candidate was rendered for FlowSpec.
    """
    if candidate.model.flowspec is not None:
        raise CommandError(
            f"router {router.name}: the approved candidate was rendered for FlowSpec; run the night again and approve "
            "its change"
        )
    minutes = context.settings.delivery.confirm_minutes
    request = PushRequest(
        router=router.name,
        before=known_candidate(context, router, from_hash).text if from_hash else None,
        after=candidate.text,
        day=day,
        minutes=minutes,
        verify=partial(verify_candidate, context, router, candidate),
        record=partial(_record, context, router, day, candidate.hash, watch),
        only_finishes=only_finishes,
        is_known=is_known,
        judge=partial(_judge, candidate),
        require_allowed=require_allowed,
    )
    if watch is None:
        return request
    return replace(request, before_push=watch.before_push, on_trial=partial(watch.on_trial, minutes))


def finishing_request(
    context: Context, router: Router, begun: Entry, require_allowed: Callable[[], None], watch: LoadWatch | None
) -> PushRequest:
    """The push that ends an interrupted one and starts nothing new.

    Raises:
        CommandError: a removal is unfinished.
    """
    if begun.after_sha256 is None:
        raise CommandError(f"router {router.name}: a removal is unfinished; run `hntes router remove --commit` again")
    candidate = known_candidate(context, router, begun.after_sha256)
    return push_request(
        context, router, begun.before_sha256, candidate, begun.day, require_allowed, only_finishes=True, watch=watch
    )


def verify_candidate(context: Context, router: Router, candidate: Candidate, device: Device) -> None:
    """Raises DeliveryError unless the router holds that text, behaves as it says, and its probes succeed."""
    check_part(device.dialect, device.running(), candidate.text)
    check_effect(device.dialect, device.inherited(), candidate.text, candidate.model.interfaces)
    if router.delivery:
        run_probes(router.name, router.delivery.probes, context.settings.delivery.probe_timeout_s)


def _judge(candidate: Candidate, dialect: Dialect, configuration: str) -> None:
    check_effect(dialect, configuration, candidate.text, candidate.model.interfaces)


def _record(
    context: Context, router: Router, day: date | None, candidate_hash: str, watch: LoadWatch | None, step: str
) -> None:
    read = watch.unrecorded() if watch is not None else ""
    with transaction(context.database) as session:
        audit.append(session, NewEvent("push", router.name, day, candidate_hash, detail=read, outcome=step))
