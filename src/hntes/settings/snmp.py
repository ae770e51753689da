"""How SNMP agents are asked: version, user and timeouts; secrets are in the environment."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hntes.settings.section import Section

# A host name or IPv4 address with or without a port, an IPv6 address, or one in brackets with a port.
_ADDRESS = r"^([A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?|[0-9A-Fa-f:.]{2,45}|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?)$"
AgentAddress = Annotated[str, Field(pattern=_ADDRESS)]


class SnmpAccess(Section):
    """Access to SNMP agents.

    Secrets are in the environment: HNTES_SNMP_COMMUNITY of version 2c; of version 3 HNTES_SNMP_AUTH_KEY and
    HNTES_SNMP_PRIV_KEY of `user`.
    """

    version: Literal["2c", "3"] = "2c"
    """version of SNMP; "3" needs a user"""
    user: Annotated[str, Field(pattern=r"^[!-~]{1,32}$")] | None = None
    """user of version 3"""
    auth: Literal["sha", "sha256", "sha512"] = "sha256"
    """authentication with version 3"""
    privacy: Literal["aes128", "aes256"] = "aes128"
    """encryption with version 3"""
    timeout_s: Annotated[int, Field(ge=1, le=60)] = 5
    """timeout of one request"""
    retries: Annotated[int, Field(ge=0, le=5)] = 1
    """requests sent again, at most"""

    @model_validator(mode="after")
    def _has_its_user(self) -> Self:
        if self.version == "3" and self.user is None:
            raise ValueError('version = "3" needs a user')
        return self
