"""Who somebody is: the account that runs this process, and when two accounts count as one person."""

import os
import pwd
import unicodedata


def process_identity() -> str:
    """`os:` and the account of the process' user id; environment variables such as $USER have no say in it."""
    user_id = os.getuid()
    try:
        return f"os:{pwd.getpwuid(user_id).pw_name}"
    except KeyError:
        return f"os:uid {user_id}"


def is_same_person(one: str, other: str) -> bool:
    """Whether two identities have one name, whoever authenticated it: a person has accounts in several places.

    Capitals make no other person, nor do wide letters or accents of their own, which look the same (Unicode, NFKC).

    Example:
        >>> is_same_person("os:anna", "web:Anna"), is_same_person("os:anna", "os:bert")
        (True, False)
    """
    return _name(one) == _name(other)


def _name(identity: str) -> str:
    # folded between: some capitals fold to what is composed anew, and some composed signs hold capitals
    name = unicodedata.normalize("NFKC", identity.partition(":")[2]).casefold()
    return unicodedata.normalize("NFKC", name).casefold().strip()
