"""One transition onto one router: lock, compare, load, trial, verify, confirm; or back, and seen to be back.

Whatever is about to change the router is first written into the journal, then recorded (`Order.record`, the audit log),
then asked for. So a push that is cut at any point leaves the router with the text before or the one after, and the next
call asks the router which of them it holds, and finishes or undoes.
"""

from dataclasses import dataclass, field

from hntes.delivery.commit_outcome import MARGIN_S, POLL_S, Aftermath
from hntes.delivery.journal import Entry, Journal
from hntes.delivery.request import Order, Pushed, sha256
from hntes.delivery.timer import Pace
from hntes.platforms.device import Device, Opener, held
from hntes.platforms.device_errors import DeliveryError, DriftError, NotStoredError, RefusedError, TrialError
from hntes.platforms.dialect import Dialect
from hntes.platforms.owned_config import OwnedConfig


def push(order: Order, opened: Opener, journal: Journal, pace: Pace, *, commit: bool) -> Pushed:
    """Brings a router from the text before to the text after; without `commit` it only shows what would change.

    Raises:
        DriftError: the router holds neither text; it was left as it is.
        NotKeptError: the new text was not confirmed, and the router holds the earlier one again.
        StuckError: it does not hold the earlier one again although its time is over.
        DeliveryError: refused before anything was changed, or how it ended is not known: call again.
    """
    begun = journal.entry()
    if begun is not None and not commit:
        raise DeliveryError(f"router {order.router}: a push has not ended; `hntes router deliver --commit` ends it")
    device = opened()
    try:
        _lock(device, order, pace, is_begun=begun is not None)
        holds = held(device)
        before = holds if order.takes_anything else device.dialect.part_of(order.before)
        working = _Push(order, opened, journal, pace, device.dialect, before)
        if begun is not None and (ended := working.ended(device, begun, holds)):
            return ended
        return working.begun(device, holds, commit=commit)
    finally:
        device.close()


def _lock(device: Device, order: Order, pace: Pace, *, is_begun: bool) -> None:
    """What an earlier call may have left on trial, and no other session can confirm, is waited for."""
    deadline_s = pace.now_s() + 60.0 * order.minutes + MARGIN_S
    while True:
        try:
            device.lock()
        except TrialError:
            if not is_begun or pace.now_s() >= deadline_s:
                raise
            pace.sleep(POLL_S)
        else:
            return


@dataclass
class _Push:
    order: Order
    opened: Opener
    journal: Journal
    pace: Pace
    dialect: Dialect
    before: OwnedConfig
    after: OwnedConfig = field(init=False)

    def __post_init__(self) -> None:
        self.after = self.dialect.part_of(self.order.after)

    @property
    def _name(self) -> str:
        return f"router {self.order.router}"

    def ended(self, device: Device, begun: Entry, holds: OwnedConfig) -> Pushed | None:
        """Ends what an earlier call began, if that was this order; None if this order is still to be done."""
        if begun.after_sha256 == sha256(self.order.after) and holds == self.after:
            return self._finished(device, begun)
        if holds != self.before:
            self._stop(holds)
        self.order.record("earlier push ended: the router does not hold its text")
        self.journal.end()
        return Pushed("undone") if self.order.only_finishes else None

    def begun(self, device: Device, holds: OwnedConfig, *, commit: bool) -> Pushed:
        """Loads and, with `commit`, commits this order."""
        if holds == self.after:
            if not self.order.is_known:
                self._require_no_trial(device)
            return Pushed("held")
        if holds != self.before:
            self._stop(holds)
        if not self.order.takes_anything:
            self._require_no_trial(device)
        difference = self._loaded(device)
        if not commit:
            device.discard()
            return Pushed("shown", difference)
        device.check()
        self._tried(device)
        return Pushed("done", difference)

    def _require_no_trial(self, device: Device) -> None:
        """What is on trial without a journal was begun by somebody else, or by an installation that is lost."""
        if trial := device.trial():
            raise DeliveryError(
                f"{self._name}: another commit waits for its confirmation there ({trial}); ask who made it"
            )

    def _stop(self, holds: OwnedConfig) -> None:
        shown = "\n".join(holds.differences(self.before))
        raise DriftError(
            f"{self._name}: holds something else than what was delivered last (- is missing, + stands beside); nothing "
            f"was changed\n{shown}"
        )

    def _loaded(self, device: Device) -> str:
        """Loads the transition, and requires that it makes exactly the approved change, by the router's own words."""
        order, dialect = self.order, self.dialect
        rest = dialect.foreign(device.running())
        commands = dialect.commands(order.before, self.before, order.after)
        difference = device.load("\n".join(commands), is_removal=order.after is None)
        if not dialect.is_change(difference, self.before, self.after):
            raise DeliveryError(f"{self._name}: the router's difference is not the approved one:\n{difference}")
        candidate = device.candidate()
        if dialect.owned(candidate) != self.after or dialect.foreign(candidate) != rest:
            raise DeliveryError(f"{self._name}: the candidate is not the approved text; nothing was committed")
        if dialect.commit_model == "line_by_line":
            order.judge(dialect, candidate)
        return difference

    def _tried(self, device: Device) -> None:
        order = self.order
        entry = Entry(order.router, "trial", sha256(order.before), sha256(order.after), order.day)
        self.journal.write(entry)
        try:
            order.record("trial begins")
        except Exception:
            self.journal.end()
            raise
        begun_s = self.pace.now_s()
        try:
            device.commit_trial(order.minutes, order.remark)
        except RefusedError as refused:
            self._refused(device, refused)
        except DeliveryError as cause:
            device.close()
            self._aftermath.back(cause)
        self._confirmed(device, entry, begun_s)

    def _refused(self, device: Device, refused: RefusedError) -> None:
        """The router is asked whether it really did nothing; always raises."""
        if held(device) != self.before:
            device.close()
            self._aftermath.back(refused)
        self.order.record("trial refused: nothing was changed")
        self.journal.end()
        raise DeliveryError(f"{self._name}: {refused}; nothing was changed") from refused

    def _finished(self, device: Device, begun: Entry) -> Pushed:
        if begun.step == "kept":
            self._aftermath.kept(begun)
        else:
            self._confirmed(device, begun, self.pace.now_s())
        return Pushed("finished")

    def _confirmed(self, device: Device, entry: Entry, begun_s: float) -> None:
        """Verifies what is on trial and confirms it. After any failure before that, the router goes back."""
        try:
            self._verify()
            self._require_time(begun_s)
            self.order.record("verified: to be confirmed")
            entry = self.journal.step(entry, "confirm")
        except Exception as cause:  # noqa: BLE001 - whatever went wrong, nothing unverified is confirmed
            device.close()
            self._aftermath.back(cause)
        try:
            device.confirm(self.order.remark)
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
                self._aftermath.back(DeliveryError("the router's time was over before the confirmation came"))
            self._aftermath.kept(entry)

    def _require_time(self, begun_s: float) -> None:
        if self.pace.now_s() - begun_s > 60.0 * self.order.minutes:
            raise DeliveryError("the checks took longer than the router waits")

    def _verify(self) -> None:
        """Over a connection of its own: the router can still be reached."""
        second = self.opened()
        try:
            self.order.verify(second)
        finally:
            second.close()

    @property
    def _aftermath(self) -> Aftermath:
        return Aftermath(self.order, self.opened, self.journal, self.pace, self.before, self.after)
