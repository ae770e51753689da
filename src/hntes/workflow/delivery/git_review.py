"""Changes as branches of a git repository, approved by merging them (`[git] approve_by_merge`)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hntes import clock
from hntes.delivery.git_repository import Author, GitError, GitRepository, Introduced
from hntes.errors import HntesError
from hntes.sanitize import shown
from hntes.settings.git import GitRecord
from hntes.sql.change import Change
from hntes.sql.decisions import Person, Request
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.delivery.git_record import TEXT, evidence, repository_of, subject, text_hash
from hntes.workflow.errors import CommandError, is_temporary
from hntes.workflow.review.changes import ListedChange, listed_changes
from hntes.workflow.review.decide import decide
from hntes.workflow.review.view import review_view


@dataclass(frozen=True)
class GitChange:
    """What became of a waiting change: its branch was made ("published") or is there ("waits"), it was merged and
    approved ("approved"), or merged or to be published, and refused ("refused") for the reason in `detail`.
    """

    change: Change
    outcome: Literal["published", "waits", "approved", "refused"]
    branch: str
    detail: str = ""


def sync_changes(context: Context) -> tuple[GitChange, ...]:
    """Publishes the waiting changes that the gate passed as branches, and approves those that were merged.

    A second call without news changes nothing.

    Raises:
        CommandError: the settings do not want this.
        GitError: the repository or its remote cannot be used.
    """
    wanted = context.settings.git
    if wanted is None or not wanted.approve_by_merge:
        raise CommandError("changes are approved by merges if the settings say [git] approve_by_merge = true")
    repository = repository_of(wanted)
    if wanted.push:
        repository.fetch(wanted.remote, wanted.branch)
    listed = listed_changes(context, context.settings.routers, only_pending=True)
    found = [_synced_alone(context, wanted, repository, each) for each in listed if each.is_passed]
    fresh = [each.branch for each in found if each.outcome in ("published", "waits")]
    if wanted.push and fresh:
        repository.push(wanted.remote, fresh)
    return tuple(found)


def _synced_alone(
    context: Context, wanted: GitRecord, repository: GitRepository, listed: ListedChange
) -> GitChange:  # fmt: skip
    """As `_synced`; what is wrong with one change does not keep others. Repository and database are those of all."""
    change = listed.change
    branch = f"{wanted.review_prefix}/{change.router}/{change.day}-{change.candidate_hash[:12]}"
    try:
        return _synced(context, wanted, repository, change, branch)
    except HntesError as problem:
        if isinstance(problem, GitError) or is_temporary(problem):
            raise
        return GitChange(change, "refused", branch, str(problem))


def _synced(
    context: Context, wanted: GitRecord, repository: GitRepository, change: Change, branch: str
) -> GitChange:  # fmt: skip
    router = context.settings.router(change.router)
    tip = repository.tip(wanted.branch)
    present = text_hash(repository, tip, router)
    if repository.tip(branch) is not None and present == change.candidate_hash:
        return _approved(context, wanted, repository, change, branch)
    if present != change.base_hash:
        has = f"the text {present[:12]}" if present else "no text"
        base = f"{change.base_hash[:12]} is approved" if change.base_hash else "none is approved"
        return GitChange(change, "refused", branch, f"{wanted.branch} has {has} of {router.name}, but {base}")
    if repository.tip(branch) is not None:
        return GitChange(change, "waits", branch)
    text = known_candidate(context, router, change.candidate_hash).text.encode()
    files = {TEXT: text, **evidence(review_view(context, router, change))}
    message = f"{router.name}: {subject(change)}\n"
    author = Author("HNTES", wanted.email, clock.now_ms() // 1000)
    inside = {f"{router.name}/{name}": content for name, content in files.items()}
    repository.commit(branch, inside, message, author, onto=tip)
    return GitChange(change, "published", branch)


def _approved(context: Context, wanted: GitRecord, repository: GitRepository, change: Change, branch: str) -> GitChange:
    """The decision on a change whose text is on the branch of deliveries."""
    router = context.settings.router(change.router)
    merge = repository.introduced(wanted.branch, f"{router.name}/{TEXT}")
    before = text_hash(repository, merge.parents[0] if merge.parents else None, router)
    refused = next(_reasons(wanted, change, merge, before), None)
    if refused is not None:
        return GitChange(change, "refused", branch, f"merged as {merge.commit[:12]}, not approved: {refused}")
    who = wanted.committers[merge.author_email]
    by = Person(who, f"merged into {wanted.branch} as {merge.commit}", f"git:{who}")
    decision = decide(context, router, Request.on(change, "approved"), by, clock.now_ms())
    done = decision.outcome == "decided"
    return GitChange(decision.change, "approved" if done else "refused", branch, decision.explanation)


def _reasons(wanted: GitRecord, change: Change, merge: Introduced, before: str | None) -> Iterator[str]:
    if merge.author_email == wanted.email:
        yield "it was moved there without a merge commit, which would name who approves; merge with --no-ff"
    elif merge.author_email not in wanted.committers:
        yield f"{merge.author_email} is not in [git] committers"
    elif wanted.require_signed:
        yield from _not_signed(wanted, merge)
    if before != change.base_hash:
        yield "the text before the merge is not the approved one that this change is based on"


def _not_signed(wanted: GitRecord, merge: Introduced) -> Iterator[str]:
    """Why the signature does not say that the author made the merge: whoever commits can write any author."""
    if merge.signature != "G":
        yield f"its signature is not good (git says {merge.signature or 'N'}); sign merges, or see require_signed"
        return
    known = {*wanted.committers, *wanted.host_signers}
    name = next((each for each in merge.signer_names if each in known), "")
    if name in wanted.host_signers:
        return
    author, signer, by = wanted.committers[merge.author_email], wanted.committers.get(name), shown(merge.signer)
    if signer is None:
        yield f"its author is {merge.author_email} ({author}), but {by}, who is not in [git] committers, signed it"
    elif signer != author:
        yield f"its author is {merge.author_email} ({author}), but {by} ({signer}) signed it"
