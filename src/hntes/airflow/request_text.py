"""Functions without Airflow: the day of a run, the text of a request, the user who answered."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from urllib.parse import quote

from hntes.workflow.review.changes import Change

_SHOWN_LINES = 400


def night_of(named: str | None, moment: datetime) -> date:
    """The day whose flows a run is about: the one that is named, else the UTC day before the moment it is due.

    Args:
        moment: the end of the run's data interval; one without has the moment after which it may run.
    """
    return date.fromisoformat(named) if named else (moment.astimezone(UTC) - timedelta(days=1)).date()


def request_body(
    entry: Change, summary: str, verdict: str, difference: str, *, origin: str | None = None,
    again: Sequence[str] = (),
) -> str:  # fmt: skip
    """Markdown for the request: what changes and why, the verdict, the difference, what the decision is bound to.

    `origin` is the review page's, as browsers call it; None: there is none to point to. `again` are the commands that
    propose earlier approved texts again.
    """
    lines = difference.splitlines()
    shown = "\n".join(lines[:_SHOWN_LINES])
    parts = [_fenced("", summary), _fenced("", verdict), _fenced("diff", shown)]
    if len(lines) > _SHOWN_LINES:
        more = len(lines) - _SHOWN_LINES
        parts.append(
            f"{more} more {'line' if more == 1 else 'lines'}: `hntes change show --router {entry.router} --day "
            f"{entry.day}`"
        )
    if origin is not None:
        address = f"{origin}/change/{quote(entry.router, safe='')}/{entry.day}"
        parts.append(f"With figures and the pairs' history: [{address}]({address})")
    if again:
        parts.append("To go back to a text that was approved before:\n\n" + _fenced("", "\n".join(again)))
    data = "complete" if entry.data_complete else "INCOMPLETE"
    parts.append(f"Candidate `{entry.candidate_hash}`, base `{entry.base_hash or 'none'}`, flow data {data}.")
    return "\n\n".join(parts)


def responder(user: Mapping[str, str] | None) -> str:
    """The user authenticated by Airflow: the name, and the account if that differs; empty without one."""
    if user is None:
        return ""
    name, account = user["name"].strip(), user["id"].strip()
    if not name or not account or name == account:
        return name or account
    return f"{name} ({account})"


def _fenced(language: str, text: str) -> str:
    """A code block that no text can end: its fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
