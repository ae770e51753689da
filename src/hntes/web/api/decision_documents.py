"""What programs send to decide on changes, and what they are answered.

Each names the candidate that it is about and what that replaces: nothing is decided that the caller did not see.
"""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from hntes.sql.change import Change
from hntes.web.api.bodies import Body
from hntes.web.api.problem import Problem
from hntes.web.api.texts import Day, Line, Moment, Reason

Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
CandidateHash = Annotated[Hash, Field(description="SHA-256 of the candidate, all 64 digits, as the change shows it.")]
BaseHash = Annotated[
    Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None,
    Field(description="`base_hash` of the change: what the candidate replaces, null for a first configuration."),
]
TransitionHash = Annotated[
    Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None,
    Field(description="`transition.identity` of the change, null if it has no transition."),
]
UntilDay = Annotated[Day, Field(description="Day (UTC) on which it is due again.")]
End = Annotated[
    Moment | None,
    Field(description="`end` of the change in RFC 3339, null if it has none."),
]


class AcknowledgeBody(Body):
    """Acknowledges the number of new pairs of a change."""

    candidate_hash: CandidateHash
    base_hash: BaseHash
    new_pairs: Annotated[int, Field(ge=0, le=10**9, description="Their number, `pairs_added` of the change.")]
    note: Line = ""


class ApproveBody(Body):
    """Approves a change with its transition."""

    candidate_hash: CandidateHash
    base_hash: BaseHash
    transition_hash: TransitionHash
    confirm: Annotated[str, Field(max_length=64, description="The router's name, if the change is `unusual`.")] = ""
    note: Line = ""


class RejectBody(Body):
    """Rejects a change."""

    candidate_hash: CandidateHash
    base_hash: BaseHash
    note: Reason


class DeferBody(Body):
    """Defers a change until a day; today ends it."""

    candidate_hash: CandidateHash
    base_hash: BaseHash
    until: UntilDay
    note: Reason


class ReopenBody(Body):
    """Takes back a rejection, or ends a deferral."""

    candidate_hash: CandidateHash
    base_hash: BaseHash
    note: Reason


class ScheduledApproveBody(Body):
    """Approves a scheduled change for exactly its period."""

    candidate_hash: CandidateHash
    base_hash: BaseHash
    end: End
    note: Line = ""


class ScheduledRejectBody(Body):
    """Rejects a scheduled change."""

    candidate_hash: CandidateHash
    base_hash: BaseHash
    end: End
    note: Reason


@dataclass(frozen=True)
class DecisionAnswer:
    """What was recorded. `outcome`: `decided`, `pending_second_approval`, `acknowledged`, `held` or `reopened`."""

    outcome: str
    explanation: str
    change_id: str
    change: Change


class RefusedDecision(Problem):
    """Why nothing was recorded: `outcome` in a word; the change as it is now, for whoever looks again.

    `stale_hash`: another candidate, base or period; `transition`: another transition; `unconfirmed`: `confirm` is
    missing; `already_decided`, `expired`; `gate`: not passed; `held`: new pairs must be acknowledged; `same_person`:
    another person must give the second approval; `base`: its rules are not approved; `quota`.
    """

    outcome: str
    candidate_hash: str
    base_hash: str | None
