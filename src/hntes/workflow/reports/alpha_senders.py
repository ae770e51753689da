"""Counts of alpha senders with ECN, which would benefit from the key `alpha_ecn` of a plan."""

from datetime import date, timedelta

from hntes.format import agreeing, counted
from hntes.sql.alpha_senders import AlphaSenders, alpha_senders
from hntes.sql.session import reading
from hntes.workflow.context import Context

__all__ = ["SENDER_DAYS", "AlphaSenders", "senders_of", "senders_sentence"]

SENDER_DAYS = 30


def senders_of(context: Context, router: str, until_day: date) -> AlphaSenders:
    """The senders of the router's alpha flows in the `SENDER_DAYS` days up to `until_day`."""
    with reading(context.database) as session:
        return alpha_senders(session, router, until_day - timedelta(days=SENDER_DAYS - 1), until_day)


def senders_sentence(found: AlphaSenders) -> str:
    """One line for a person; "" if there were no alpha flows.

    Example:
        >>> days = date(2026, 10, 22), date(2026, 11, 20)
        >>> senders_sentence(AlphaSenders("r1", *days, known=4, with_ecn=1, unknown=0, known_bytes=8e9, ecn_bytes=2e9))
        'r1 ECN: of 4 alpha senders since 2026-10-22, at least 1 has it (25% of the bytes)'
        >>> senders_sentence(AlphaSenders("r1", *days, known=0, with_ecn=0, unknown=3, known_bytes=0.0, ecn_bytes=0.0))
        'r1 ECN: not known of 3 alpha senders, whose records were read before the ToS was kept'
    """
    unknown = f"{counted(found.unknown, 'alpha sender')}, whose records were read before the ToS was kept"
    if not found.known:
        return f"{found.router} ECN: not known of {unknown}" if found.unknown else ""
    of = f"{found.router} ECN: of {counted(found.known, 'alpha sender')} since {found.from_day}"
    also = f"; not known of {unknown}" if found.unknown else ""
    if not found.with_ecn:
        return f"{of}, none shows it; the ToS may not be exported, or be that of a flow's first packet{also}"
    share_pct = 100 * (found.ecn_bytes_share or 0.0)
    have = agreeing(found.with_ecn, "has", "have")
    return f"{of}, at least {found.with_ecn} {have} it ({share_pct:.3g}% of the bytes){also}"
