"""One transition onto one router: lock, compare, load, trial, verify, confirm, or roll back and verify the rollback.

Each change of the router is first written to the journal, then recorded (`PushRequest.record`, the audit log), then
requested. A push that is interrupted at any point leaves the router with the text before or the one after; the next
call asks the router which of them it holds, and finishes or undoes.
"""

from dataclasses import dataclass, field

from hntes.delivery.commit_outcome import MARGIN_S, POLL_S, CommitOutcome
from hntes.delivery.journal import Entry, Journal
from hntes.delivery.request import PushRequest, PushResult, remark_of, sha256
from hntes.delivery.timer import Timer
from hntes.platforms.device import Device, Opener, held
from hntes.platforms.device_errors import (
    DeliveryError,
    DriftError,
    KeptError,
    NotStoredError,
    RefusedError,
    TrialError,
)
from hntes.platforms.dialect import Dialect
from hntes.platforms.owned_config import OwnedConfig, first
from hntes.platforms.registry import platform_of


def push(request: PushRequest, opened: Opener, journal: Journal, timer: Timer, *, commit: bool) -> PushResult:
    """Changes a router from the text before to the text after; without `commit` only shows the difference.

    Raises:
        DriftError: the router holds neither text; nothing was changed.
        NotKeptError: the new text was not confirmed, and the router has rolled back.
        StuckError: it has not rolled back although its timer has expired.
        DeliveryError: refused before any change, or the result is unknown: call again.
    """
    begun = journal.entry()
    if begun is not None and not commit:
        raise DeliveryError(f"router {request.router}: a push is unfinished; `hntes router deliver --commit` ends it")
    device = opened()
    try:
        _lock(device, request, timer, is_begun=begun is not None)
        holds = held(device)
        before = holds if request.takes_anything else device.dialect.part_of(request.before)
        working = _Push(request, opened, journal, timer, device.dialect, before)
        if begun is not None:
            if ended := working.ended(device, begun, holds):
                return ended
            if request.takes_anything:
                holds = working.before = held(device)
        return working.begun(device, holds, commit=commit)
    finally:
        device.close()


def _lock(device: Device, request: PushRequest, timer: Timer, *, is_begun: bool) -> None:
    """Takes the lock. Waits for the end of a trial that an earlier call left and no other session can confirm."""
    deadline_s = timer.now_s() + 60.0 * request.minutes + MARGIN_S
    while True:
        try:
            device.lock()
        except TrialError:
            if not is_begun or timer.now_s() >= deadline_s:
                raise
            timer.sleep(POLL_S)
        else:
            return


@dataclass
class _Push:
    request: PushRequest
    opened: Opener
    journal: Journal
    timer: Timer
    dialect: Dialect
    before: OwnedConfig
    after: OwnedConfig = field(init=False)

    def __post_init__(self) -> None:
        self.after = self.dialect.part_of(self.request.after)

    @property
    def _name(self) -> str:
        return f"router {self.request.router}"

    def ended(self, device: Device, begun: Entry, holds: OwnedConfig) -> PushResult | None:
        """Ends an interrupted push of the same request; None if the request is still to be done."""
        if begun.after_sha256 == sha256(self.request.after) and holds == self.after:
            return self._finished(device, begun)
        if self.request.takes_anything:
            self._end_begun(device, begun, holds)
        else:
            if holds != self.before:
                self._stop(holds)
            self.request.record("interrupted push ended: the router does not hold its text")
        self.journal.end()
        return PushResult("undone") if self.request.only_finishes else None

    def _end_begun(self, device: Device, begun: Entry, holds: OwnedConfig) -> None:
        """Ends an interrupted push before a removal of everything.

        Its trial is undone: the commits of a removal would confirm it, and if the removal in turn were interrupted, the
        router would go back to a text that nobody has verified.
        """
        trial = device.trial()
        has_id = platform_of(self.dialect.platform).capabilities.has_trial_ids
        if not has_id and (trial is None or not self._is_own(trial, begun, holds)):
            self.request.record("interrupted push ended: all of HNTES is to be removed")
            return
        what = "its trial" if trial is not None else "its trial, if it goes on,"
        self.request.record(f"interrupted push ended: {what} is rolled back")
        try:
            device.undo_trial("hntes: the configuration before the trial")
        except RefusedError as refused:
            where = f"there ({trial})" if trial is not None else "there"
            raise DeliveryError(
                f"{self._name}: {refused}; HNTES' own trial goes on {where}: try again when it has ended"
            ) from refused

    def _is_own(self, trial: str, begun: Entry, holds: OwnedConfig) -> bool:
        """Whether a trial is that of the interrupted push: by the remark, or by what the router holds."""
        if begun.after_sha256 is None:
            return False
        text = self.request.begun_text(begun.after_sha256)
        return remark_of(begun.after_sha256) in trial or (text is not None and holds == self.dialect.part_of(text))

    def begun(self, device: Device, holds: OwnedConfig, *, commit: bool) -> PushResult:
        """Loads the configuration and, with `commit`, commits it."""
        if holds == self.after:
            if not self.request.is_known:
                self._require_no_trial(device)
            self.request.judge(self.dialect, device.inherited())
            return PushResult("held")
        if holds != self.before:
            self._stop(holds)
        self._require_no_trial(device)
        self.request.require_allowed()
        if commit:
            self.request.before_push()
        difference = self._loaded(device)
        if not commit:
            device.discard()
            return PushResult("shown", difference)
        device.check()
        self._tried(device)
        return PushResult("done", difference)

    def _require_no_trial(self, device: Device) -> None:
        """Refuses a foreign trial: without a journal it was started by somebody else or by a lost installation."""
        if not self.request.confirms_others and (trial := device.trial()):
            way_out = (
                ", or confirm it with `hntes router remove --confirm-pending`" if self.request.takes_anything else ""
            )
            raise DeliveryError(
                f"{self._name}: another commit awaits its confirmation ({trial}), which this one would confirm; find "
                f"out who made it{way_out}"
            )

    def _stop(self, holds: OwnedConfig) -> None:
        shown = "\n".join(holds.differences(self.before))
        raise DriftError(
            f"{self._name}: running configuration differs from the last delivery (- missing, + unexpected); nothing "
            f"was changed\n{shown}"
        )

    def _loaded(self, device: Device) -> str:
        """Loads the transition and requires that the router's own diff is exactly the approved change."""
        request, dialect = self.request, self.dialect
        rest = dialect.foreign(device.running())
        commands = dialect.commands(request.before, self.before, request.after)
        difference = device.load("\n".join(commands), is_removal=request.after is None)
        if unlike := dialect.unlike_change(difference, self.before, self.after):
            shown = "\n".join(first(unlike))
            raise DeliveryError(f"{self._name}: the router's diff is not the approved change:\n{shown}")
        candidate = device.candidate()
        if dialect.owned(candidate) != self.after or dialect.foreign(candidate) != rest:
            raise DeliveryError(f"{self._name}: the candidate is not the approved configuration; nothing was committed")
        request.judge(dialect, device.inherited_candidate())
        return difference

    def _tried(self, device: Device) -> None:
        request = self.request
        entry = Entry(request.router, "trial", sha256(request.before), sha256(request.after), request.day)
        self.journal.write(entry)
        try:
            request.record("trial starts")
        except Exception:
            self.journal.end()
            raise
        begun_s = self.timer.now_s()
        try:
            device.commit_trial(request.minutes, request.remark)
        except RefusedError as refused:
            self._refused(device, refused)
        except DeliveryError as cause:
            device.close()
            self._aftermath.back(cause)
        self._confirmed(device, entry, begun_s)

    def _refused(self, device: Device, refused: RefusedError) -> None:
        """Verifies that the router did nothing; always raises."""
        if held(device) != self.before:
            device.close()
            self._aftermath.back(refused)
        self.request.record("trial refused: nothing was changed")
        self.journal.end()
        raise DeliveryError(f"{self._name}: {refused}; nothing was changed") from refused

    def _finished(self, device: Device, begun: Entry) -> PushResult:
        if begun.step == "kept":
            self._aftermath.kept(begun)
            return PushResult("finished")
        try:
            self.request.require_allowed()
        except Exception as refusal:  # noqa: BLE001 - whatever the reason, it is not confirmed
            device.close()
            return self._left_to_its_timer(begun, refusal)
        self._confirmed(device, begun, self.timer.now_s())
        return PushResult("finished")

    def _left_to_its_timer(self, begun: Entry, refusal: Exception) -> PushResult:
        """Waits for the end of a trial that may not be confirmed; returns if the router keeps its text nevertheless.

        The confirmation may have been given before the interruption, or by somebody else; the router is to start with
        what it holds.
        """
        try:
            self._aftermath.back(refusal)
        except KeptError:
            device = self.opened()
            try:
                self._aftermath.stored(device)
            finally:
                device.close()
            self._aftermath.kept(begun)
        return PushResult("kept")

    def _confirmed(self, device: Device, entry: Entry, begun_s: float) -> None:
        """Verifies the trial and confirms it. After any failure before that, the router rolls back."""
        try:
            self._verify()
            self.request.on_trial()
            self.request.require_allowed()
            self._require_time(begun_s)
            self.request.record("verified: to be confirmed")
            entry = self.journal.step(entry, "confirm")
        except Exception as cause:  # noqa: BLE001 - nothing unverified is confirmed, whatever the error
            device.close()
            self._aftermath.back(cause)
        try:
            device.confirm(self.request.remark)
            holds = held(device)
            if holds == self.after:
                self._aftermath.stored(device)
        except NotStoredError:
            raise
        except DeliveryError as cause:
            device.close()
            self._aftermath.confirm_anew(entry, cause)
        else:
            if holds != self.after:
                device.close()
                self._aftermath.back(DeliveryError("the router's rollback timer expired before the confirmation"))
            self._aftermath.kept(entry)

    def _require_time(self, begun_s: float) -> None:
        if self.timer.now_s() - begun_s > 60.0 * self.request.minutes:
            raise DeliveryError("the checks took longer than the router's rollback timer")

    def _verify(self) -> None:
        """Verifies over a new connection, which shows that the router is still reachable."""
        second = self.opened()
        try:
            self.request.verify(second)
        finally:
            second.close()

    @property
    def _aftermath(self) -> CommitOutcome:
        return CommitOutcome(self.request, self.opened, self.journal, self.timer, self.before, self.after)
