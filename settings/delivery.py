"""How approved transitions reach routers: the time a router waits for its confirmation, and where each router is."""

import base64
import binascii
from typing import Annotated

from pydantic import Field, field_validator

from base.free_text import text_problem
from settings.section import Section

KEY_TYPES = ("ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521")
Word = Annotated[str, Field(min_length=1, max_length=1000)]


class Delivery(Section):
    """Of all routers. A router takes back what is not confirmed after `confirm_minutes`.

    `timeout_s` is for one answer; `probe_timeout_s` for one probe.
    """

    confirm_minutes: Annotated[int, Field(ge=1, le=60)] = 5
    timeout_s: Annotated[int, Field(ge=1, le=3600)] = 60
    probe_timeout_s: Annotated[int, Field(ge=1, le=600)] = 30


class Access(Section):
    """Where one router is reached, as whom, and what must succeed before its new configuration stays.

    `host_key` is the router's public key as `ssh-keyscan` prints it, without the host. No password stands here: keys
    are taken from the agent or ~/.ssh, a password from HNTES_ROUTER_PASSWORD. A probe is a program with its arguments,
    run on this machine without a shell: exit status 0 says that all is well.
    """

    address: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$")]
    port: Annotated[int, Field(ge=1, le=65_535)]
    user: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,62}$")]
    host_key: str
    probes: tuple[Annotated[tuple[Word, ...], Field(min_length=1)], ...] = ()

    @field_validator("host_key")
    @classmethod
    def _a_public_key(cls, key: str) -> str:
        words = key.split()
        try:
            decoded = base64.b64decode(words[1], validate=True) if len(words) in (2, 3) else b""
        except binascii.Error:
            decoded = b""
        if not decoded or words[0] not in KEY_TYPES or words[0].encode() not in decoded[:40]:
            raise ValueError("must be a public host key, such as `ssh-ed25519 AAAA...`; `ssh-keyscan` prints it")
        return key

    @field_validator("probes")
    @classmethod
    def _printable(cls, probes: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        for word in (word for probe in probes for word in probe):
            if problem := text_problem(word):
                raise ValueError(f"{word!r} {problem}")
        return probes
