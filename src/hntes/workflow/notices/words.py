"""Notices in sentences, with a link to the page where one decides."""

from collections.abc import Sequence
from urllib.parse import quote

from hntes.format import counted, minute
from hntes.rules.changeset.wording import in_one_line
from hntes.sanitize import shown
from hntes.workflow.notices.found import Notice

# Of one sentence; what routers and people write may be long.
MOST_CHARACTERS = 400


def title(notices: Sequence[Notice]) -> str:
    """A message's subject: how many things of which kind."""
    waiting = sum(each.kind == "waits" for each in notices)
    troubles = sum(each.kind in ("refused", "failed", "drift", "night") for each in notices)
    parts = [counted(waiting, "change waits", "changes wait")] if waiting else []
    parts += [counted(troubles, "trouble")] if troubles else []
    rest = len(notices) - waiting - troubles
    parts += [counted(rest, "other notice" if parts else "notice")] if rest else []
    return f"HNTES: {', '.join(parts)}"


def body(notices: Sequence[Notice], most: int, page: str | None) -> str:
    """A message: one line per notice, troubles first, at most `most` of them."""
    ordered = sorted(notices, key=lambda each: (_ORDER.index(each.kind), each.router))
    lines = [sentence(each, page) for each in ordered[:most]]
    if len(ordered) > most:
        lines.append(f"and {len(ordered) - most} more; `hntes change list` and `hntes audit` have all")
    return "\n".join(lines)


def sentence(notice: Notice, page: str | None) -> str:
    """One notice. `page` is the review page's address, None without one."""
    what = shown(f"{notice.router}: {_said(notice)}")[:MOST_CHARACTERS]
    if page is None or notice.change is None or notice.day is None:
        return what
    return f"{what} {page}/change/{quote(notice.router)}/{notice.day}"


def _said(notice: Notice) -> str:
    change = notice.change
    match notice.kind:
        case "waits" if change is not None:
            until = f"; it expires {minute(change.expires_ms)} UTC" if change.expires_ms is not None else ""
            return f"a change of {notice.day} waits for a decision: {in_one_line(change, notice.effect)}{until}"
        case "refused":
            return f"the gate did not pass the change of {notice.day}; the configuration in force stays"
        case "expires" if change is not None and change.expires_ms is not None:
            return f"the change of {notice.day} expires {minute(change.expires_ms)} UTC, undecided"
        case "expired":
            return f"the change of {notice.day} expired, undecided; `hntes nightly --day {notice.day}` proposes it anew"
        case "delivered":
            return f"the configuration approved for {notice.day} was delivered and confirmed"
        case "failed":
            return f"a delivery failed: {notice.detail}"
        case "drift":
            return "its configuration is not the one that was delivered; `hntes router drift` shows what differs"
        case _:
            return f"no night of {notice.day} was run; {notice.detail}"


_ORDER = ("failed", "drift", "night", "refused", "expires", "waits", "expired", "delivered")
