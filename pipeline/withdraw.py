"""All of HNTES is removed from a router, from settings and files alone; the audit log is told when it can be.

What was done waits in `output/ROUTER/delivery/withdrawals.json` until it is recorded: a withdrawal must not wait for a
database.
"""

import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from base import clock
from base.files import write_text
from base.identity import process_identity
from base.wording import rfc3339
from delivery.access import opener
from delivery.device import Device
from delivery.journal import Journal
from delivery.order import Order, Pace, Pushed
from delivery.push import push
from delivery.verify import check_part
from etl.locks import locked
from pipeline.announced import withdraw_announced
from pipeline.context import Context
from pipeline.errors import CommandError
from settings import Settings
from settings.model import Router
from sql import audit, deliveries
from sql.audit import NewEvent
from sql.session import transaction

_REMOVED = ("kept", "held")


@dataclass(frozen=True)
class Step:
    """One step of a withdrawal, not recorded yet: when, by whom (the process' identity), and what."""

    time: str
    who: str
    step: str


_STEPS = TypeAdapter(list[Step])


def withdraw_router(settings: Settings, router: Router, pace: Pace, *, commit: bool) -> Pushed:
    """Removes what is HNTES' own from a router, whatever it is; without `commit` it only shows that.

    The router takes the removal on trial, is asked over a second connection, and keeps it.

    Raises:
        DeliveryError: see `delivery.push.push`; or there is no driver for it, or no [routers.delivery].
        LockedError: another process delivers to this router.
    """
    folder = settings.paths.output / router.name
    steps = _steps_file(settings.paths.output, router)

    def record(step: str) -> None:
        with _steps_locked(steps, router):
            _write(steps, [*_read(steps), Step(rfc3339(clock.now_ms()), process_identity(), step)])

    if router.flowspec is not None:
        with locked(folder / ".locks" / "push", f"push to {router.name}", wait_s=1.0):
            announced = withdraw_announced(settings, router, router.flowspec, record, commit=commit)
            if commit and announced.outcome == "held":
                record("held")
        return announced
    opened = opener(router, settings.delivery.timeout_s)
    order = Order(
        router.name, None, None, None, settings.delivery.confirm_minutes, _check_nothing, record, takes_anything=True
    )
    with locked(folder / ".locks" / "push", f"push to {router.name}", wait_s=1.0):
        pushed = push(order, opened, Journal(folder / "delivery" / "journal.json"), pace, commit=commit)
        if commit and pushed.outcome == "held":
            record("held")
    return pushed


def record_withdrawals(context: Context, router: Router) -> int:
    """Tells the audit log of withdrawals that it has not heard of; returns how many steps.

    Raises:
        CommandError: the file that holds them is not one that was written here.
    """
    path = _steps_file(context.output, router)
    with _steps_locked(path, router):
        steps = _read(path)
        if not steps:
            return 0
        with transaction(context.database) as session:
            known = {each.note for each in audit.events(session, router.name, ("push", deliveries.REMOVAL))}
            for each in steps:
                note = f"withdrawal, {each.time}, {each.who}: {each.step}"
                if note in known:
                    continue
                audit.append(session, NewEvent("push", router.name, detail=each.step, note=note))
                if each.step in _REMOVED:
                    deliveries.report_removed(session, router.name, "hntes withdraw", note)
        path.unlink()
    return len(steps)


def _steps_locked(path: Path, router: Router) -> AbstractContextManager[None]:
    return locked(path.parent / ".lock", f"withdrawals of {router.name}")


def _check_nothing(device: Device) -> None:
    check_part(device.language, device.running(), None)


def _steps_file(output: Path, router: Router) -> Path:
    return output / router.name / "delivery" / "withdrawals.json"


def _read(path: Path) -> list[Step]:
    try:
        return _STEPS.validate_json(path.read_bytes())
    except FileNotFoundError:
        return []
    except ValidationError as cause:
        raise CommandError(f"{path}: holds no steps of a withdrawal; look at it, then remove it") from cause


def _write(path: Path, steps: list[Step]) -> None:
    write_text(path, json.dumps([asdict(each) for each in steps], indent=2) + "\n")
