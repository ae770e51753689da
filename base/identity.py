"""Who runs this process, as the operating system knows it."""

import os
import pwd


def process_identity() -> str:
    """`os:` and the account of the process' user id; environment variables such as $USER have no say in it."""
    user_id = os.getuid()
    try:
        return f"os:{pwd.getpwuid(user_id).pw_name}"
    except KeyError:
        return f"os:uid {user_id}"
