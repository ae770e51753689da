"""Sending of notices by Apprise (https://github.com/caronc/apprise), which knows e-mail, chats and webhooks.

The addresses hold passwords and tokens. They come from the environment, and neither they nor what the library says of
them is printed or stored.
"""

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from hntes import clock
from hntes.format import counted
from hntes.settings.notices import Notices
from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.notices.found import OUTCOME, Notice, due_notices, last_message
from hntes.workflow.notices.words import body, title

URLS_VARIABLE, URLS_FILE_VARIABLE = "HNTES_NOTICE_URLS", "HNTES_NOTICE_URLS_FILE"
# Called with a title and a text; whether all took it.
Sender = Callable[[str, str], bool]


@dataclass(frozen=True)
class Told:
    """What became of the notices: "sent", "nothing" to tell, "too_soon" after the last message, or "shown" only."""

    outcome: Literal["sent", "nothing", "too_soon", "shown"]
    notices: tuple[Notice, ...]
    title: str = ""
    text: str = ""


def tell(context: Context, *, sends: bool, sender: Callable[[Notices], Sender] | None = None) -> Told:
    """Sends what happened since the last message; without `sends` it is only returned.

    What could not be sent is told with the next call.

    Raises:
        CommandError: there are no addresses, Apprise is missing, or a service did not take the message.
    """
    wanted = context.settings.notices
    due = due_notices(context, wanted)
    if not due.notices:
        return Told("nothing", ())
    page = context.settings.web.origin
    told = title(due.notices), body(due.notices, wanted.max_lines, page)
    if not sends:
        return Told("shown", due.notices, *told)
    with reading(context.database) as session:
        last = last_message(session)
    if last is not None and clock.now_ms() - last.time_ms < wanted.min_interval_s * 1000:
        return Told("too_soon", due.notices, *told)
    if not (sender or apprise_sender)(wanted)(*told):
        raise CommandError(
            f"{counted(len(due.notices), 'notice')} not sent: a service did not take the message, see its address in "
            f"{URLS_VARIABLE}; the next call tries again"
        )
    with transaction(context.database) as session:
        event = NewEvent("notify", outcome=OUTCOME, detail=f"up to event {due.until_event}", note=told[0])
        audit.append(session, event)
    return Told("sent", due.notices, *told)


def apprise_sender(wanted: Notices) -> Sender:
    """Sends to all addresses of the environment.

    Raises:
        CommandError: there are none, one is of no known service, or Apprise is not installed.
    """
    urls = _urls()
    try:
        apprise: Any = import_module("apprise")
    except ImportError:
        raise CommandError("notices need Apprise: install the extra `notices` of hntes") from None
    # It logs addresses.
    logging.getLogger("apprise").disabled = True
    services = apprise.Apprise(asset=apprise.AppriseAsset(app_id="HNTES", app_desc="HNTES", async_mode=False))
    for number, url in enumerate(urls, 1):
        scheme = url.partition("://")[0]
        separator = "&" if "?" in url else "?"
        if not services.add(f"{url}{separator}rto={wanted.timeout_s}&cto={wanted.timeout_s}"):
            raise CommandError(
                f"{URLS_VARIABLE}: address {number} ({scheme[:20]}://...) is of no service that Apprise knows"
            )
    return lambda subject, text: bool(services.notify(title=subject, body=text, body_format=apprise.NotifyFormat.TEXT))


def _urls() -> list[str]:
    """The addresses, separated by white space.

    Raises:
        CommandError: there are none, or the file cannot be read.
    """
    text, name = os.environ.get(URLS_VARIABLE), os.environ.get(URLS_FILE_VARIABLE)
    if not text and name:
        try:
            text = Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as cause:
            raise CommandError(f"{URLS_FILE_VARIABLE}: {name!r} cannot be read") from cause
    urls = (text or "").split()
    if not urls:
        raise CommandError(
            f"nobody to tell: put addresses into {URLS_VARIABLE}, or into the file of {URLS_FILE_VARIABLE}, such "
            "as mailtos://user:password@example.net or slack://..."
        )
    return urls
