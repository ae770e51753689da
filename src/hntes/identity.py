"""Identities: the account of this process, and the comparison of accounts of one person."""

import os
import pwd
import unicodedata

# Begins the identity of an API token; its name follows.
TOKEN = "token:"  # noqa: S105 - a word, no secret


def process_identity() -> str:
    """`os:` and the account of the process' user id; environment variables such as $USER are ignored."""
    user_id = os.getuid()
    try:
        return f"os:{pwd.getpwuid(user_id).pw_name}"
    except KeyError:
        return f"os:uid {user_id}"


def is_same_person(one: str, other: str) -> bool:
    """Whether two identities have the same name under any authenticator: a person has accounts in several places.

    Case, wide letters and combining accents make no difference, since they look the same (Unicode, NFKC).

    Example:
        >>> is_same_person("os:anna", "web:Anna"), is_same_person("os:anna", "os:bert")
        (True, False)
    """
    return _name(one) == _name(other)


def person_behind(identity: str, who: str | None) -> str:
    """The identity of the person whose decision this is: a token acts for its owner, whom `who` names then.

    Only the token file names owners, so that of other identities `who`, which is merely said, counts for nothing.

    Example:
        >>> person_behind("token:deploy", "anna"), person_behind("os:bert", "anna")
        ('token:anna', 'os:bert')
    """
    return f"{TOKEN}{who}" if identity.startswith(TOKEN) and who else identity


def _name(identity: str) -> str:
    # folded in between: some capitals fold to composable characters, and some composed characters hold capitals
    name = unicodedata.normalize("NFKC", identity.partition(":")[2]).casefold()
    return unicodedata.normalize("NFKC", name).casefold().strip()
