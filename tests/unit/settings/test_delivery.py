"""How a router is reached: nothing secret, nothing that a shell or a connection could take for something else."""

from typing import Any

import pytest
from pydantic import ValidationError

from settings.delivery import Access

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
GIVEN: dict[str, Any] = {"address": "192.0.2.1", "port": 830, "user": "hntes", "host_key": KEY}


def test_a_key_with_its_remark_is_taken() -> None:
    assert Access.model_validate(GIVEN | {"host_key": f"{KEY} r1"}).host_key.split()[1] == KEY.split()[1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"password": "secret"},
        {"host_key": ""},
        {"host_key": "ssh-ed25519"},
        {"host_key": "ssh-ed25519 AAAA"},
        {"host_key": KEY.replace("ssh-ed25519", "ssh-rsa")},
        {"address": "-oProxyCommand=x"},
        {"address": "a b"},
        {"user": "-l"},
        {"port": 0},
        {"probes": [[]]},
        {"probes": [["ping", "a\nb"]]},
    ],
)
def test_what_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Access.model_validate(GIVEN | wrong)
