"""Notices to operators: changes that wait, expire soon or failed, by e-mail, chat or webhook."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from hntes.settings.section import Section

NoticeKind = Literal["waits", "refused", "expires", "expired", "delivered", "failed", "drift", "night"]


class Notices(Section):
    """What `hntes change notify` tells. Where to is a secret: HNTES_NOTICE_URLS, or the file HNTES_NOTICE_URLS_FILE.

    `kinds` are told: a change waits for a decision ("waits"), was refused by the gate ("refused"), expires within
    `expires_within_hours` or has expired, a delivery ended well or badly ("delivered", "failed"), a router has another
    configuration than was delivered ("drift"), no night of yesterday by `night_due_hours` after midnight UTC ("night").
    A message has at most `max_lines`, and follows the one before after `min_interval_s` at the earliest.
    """

    kinds: Annotated[tuple[NoticeKind, ...], Field(min_length=1)] = get_args(NoticeKind)
    """what operators are notified of; by default everything"""
    expires_within_hours: Annotated[int, Field(ge=1, le=8760)] = 12
    night_due_hours: Annotated[int, Field(ge=0, le=23)] = 6
    min_interval_s: Annotated[int, Field(ge=0, le=86_400)] = 300
    max_lines: Annotated[int, Field(ge=1, le=200)] = 20
    timeout_s: Annotated[int, Field(ge=1, le=120)] = 20
