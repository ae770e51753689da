"""The file that the settings name as a router's running configuration."""

from pathlib import Path

import pytest

from hntes.platforms.conflict import CollisionError
from hntes.workflow.errors import CommandError
from hntes.workflow.running_configuration import fitted, judged_alone, judged_running
from tests.support.qos_models import model, router


def test_without_a_file_nothing_is_checked() -> None:
    fitted(router("junos"), model("junos"))


def test_the_file_is_what_the_model_is_checked_against(tmp_path: Path) -> None:
    path = tmp_path / "running.conf"
    path.write_text("interfaces {\n xe-0/0/0 { unit 100 { family inet { filter { input CUSTOMERS; } } } }\n}\n")
    with pytest.raises(CollisionError, match=r"router wr: .*(?s:.)*line 2: .*filter CUSTOMERS"):
        fitted(router("junos", running_config=path), model("junos"))


@pytest.mark.parametrize("content", [None, b"interfaces\0{"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "running.conf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError, match=r"running\.conf: the running configuration of router wr cannot be read"):
        fitted(router("junos", running_config=path), model("junos"))


@pytest.mark.parametrize("content", ["description caf\u00e9;".encode("latin-1"), "description caf\u00e9;".encode()])
def test_descriptions_of_either_encoding_are_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "running.conf"
    path.write_bytes(content)
    assert judged_running(router("junos", running_config=path)) == "description caf\u00e9;"


def test_what_is_judged_alone_says_why(tmp_path: Path) -> None:
    path = tmp_path / "running.conf"
    assert judged_alone(router("junos")) == "running_config is not set"
    assert judged_alone(router("junos", running_config=path)) == ""
    alone = router("junos", running_config=path, simulate_with_running_config=False)
    assert judged_alone(alone) == "simulate_with_running_config = false"
    assert judged_running(alone) is None
