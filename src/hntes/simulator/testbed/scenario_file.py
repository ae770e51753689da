"""Scenarios from a user's file, TOML or JSON; what a file leaves out is the testbed's."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from hntes.simulator.engine import check
from hntes.simulator.scenario import Scenario, ScenarioError, from_document
from hntes.simulator.testbed.completion import completed
from hntes.simulator.testbed.files import PROFILES, TESTBED_PROFILE
from hntes.simulator.testbed.flow_groups import ScenarioFile, expanded


def read_scenario(path: Path, seed: int | None = None) -> Scenario:
    """Read a scenario, fill in what it leaves out, and have the engine check it.

    Host, TCP and UDP parameters, and those that routers have in common, come from `scenarios/parameters.toml`; `name`
    is the file's and `seed` is 1.

    Args:
        path: A file that ends in .toml or .json.
        seed: In place of the file's.

    Raises:
        ScenarioError: The file is neither TOML nor JSON, or no sound scenario; the message names file and key.
        OSError: The file cannot be read.
    """
    table = _parse(path)
    if not isinstance(table, dict):
        raise ScenarioError(f"{path}: a scenario is a table of keys, this is a {type(table).__name__}")
    try:
        scenario = scenario_of({"name": path.stem, "seed": 1, **table, **({} if seed is None else {"seed": seed})})
        check(scenario)
    except ScenarioError as error:
        raise ScenarioError(f"{path}: {error}") from error
    return scenario


def scenario_of(table: Mapping[str, object]) -> Scenario:
    """The scenario of a file's content, with the testbed's parameters for what it leaves out.

    A flow without intervals is on all the time.

    Raises:
        ScenarioError: A key is unknown or missing or has another type, there is no such TCP profile, or a group of
            flows makes no sense; the message names the key.
    """
    _check_profile(table.get("tcp"))
    return completed(expanded(from_document(ScenarioFile, table)))


def _check_profile(tcp: object) -> None:
    chosen = tcp.get("profile", TESTBED_PROFILE) if isinstance(tcp, dict) else TESTBED_PROFILE
    if chosen not in PROFILES:
        raise ScenarioError(f"tcp.profile: there is no {chosen!r}; there are: {', '.join(PROFILES)}")


def _parse(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            return tomllib.loads(text)
        if path.suffix == ".json":
            return json.loads(text)
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{path}: not a text file in UTF-8 ({error.reason} at byte {error.start})") from error
    except ValueError as error:
        raise ScenarioError(f"{path}: {error}") from error
    raise ScenarioError(f"{path}: the name of a scenario file ends in .toml or .json")
