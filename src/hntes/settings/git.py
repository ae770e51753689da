"""A git repository that holds the approved texts with their evidence."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from hntes.settings.names import FilePath
from hntes.settings.section import Section


def _a_branch(name: str) -> str:
    """Of the rules of git-check-ref-format(1) those that the pattern does not cover."""
    parts = name.split("/")
    if ".." in name or any(each.startswith(".") or each.endswith((".", ".lock")) or not each for each in parts):
        raise ValueError("is not the name of a branch")
    return name


BranchName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$"), AfterValidator(_a_branch)]


class GitRecord(Section):
    """Each delivery is a commit on `branch` of `repository`, best a bare one; with `push` it is pushed to `remote`.

    `approve_by_merge`: each waiting change that the gate passed is a branch below `review_prefix` instead; a merge into
    `branch` approves it, in the name that `committers` has for the e-mail address of the merge commit's author.
    Merges need a good signature (`require_signed`) of the same person: of a key whose SSH principal, GPG user id or
    fingerprint has that name in `committers`, too. Without, whoever can push to `branch` can approve in any of these
    names. `remote` is a name of the repository's configuration, which has its address. No git command takes longer
    than `timeout_s`.
    """

    repository: FilePath
    branch: BranchName = "main"
    """branch that holds what was approved"""
    push: bool = False
    remote: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$")] = "origin"
    """where `push` sends to: a remote that the repository has"""
    email: Annotated[str, Field(pattern=r"^[^\s<>@]{1,64}@[^\s<>@]{1,190}$")] = "hntes@localhost"
    approve_by_merge: bool = False
    review_prefix: BranchName = "hntes"
    committers: dict[str, Annotated[str, Field(pattern=r"^[\w.@-]{1,63}$")]] = Field(default_factory=dict)
    require_signed: bool = True
    host_signers: tuple[str, ...] = ()
    """signers that answer for the author of what they sign: e-mail addresses or fingerprints of git hosts that sign
    the merges of their users"""
    timeout_s: Annotated[int, Field(ge=1, le=600)] = 60

    @model_validator(mode="after")
    def _somebody_can_approve(self) -> Self:
        if self.approve_by_merge and not self.committers:
            raise ValueError('approve_by_merge needs committers = {"anna@example.net" = "anna", ...}')
        if self.email in self.committers:
            raise ValueError(f"committers: {self.email} is HNTES itself")
        if self.branch == self.review_prefix or self.branch.startswith(f"{self.review_prefix}/"):
            raise ValueError("branch: is below review_prefix")
        return self
