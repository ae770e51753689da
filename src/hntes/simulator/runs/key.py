"""The key of a kept run: runs with the same key have the same result."""

import hashlib
import json
from dataclasses import asdict

from hntes.simulator.results import EngineName
from hntes.simulator.scenario import Scenario
from hntes.simulator.steadiness.reading import Reading

_LAYOUT = 1


def run_key(
    scenario: Scenario,
    engine: EngineName,
    engine_version: str,
    fallback: Scenario | None = None,
    reading: Reading | None = None,
) -> str:
    """A name for a run: another one if scenario (with its seed), engine, its version or the file's layout differ.

    Args:
        scenario: What is run.
        engine: Which engine is asked.
        engine_version: As `simulator.engine_version` gives it.
        fallback: What is run by packets if the fluid engine's result is unsteady; the kept result may be this one's.
        reading: In what it has to be steady; None: in all that is compared.
    """
    asked: dict[str, object] = {"engine": engine, "engine_version": engine_version, "layout": _LAYOUT}
    if reading is not None:
        asked["reading"] = asdict(reading)
    texts = {name: json.dumps(value, sort_keys=True) for name, value in asked.items()} | {"scenario": scenario.json}
    if fallback is not None:
        texts["fallback"] = fallback.json
    # The canonical JSON of all together, put together from texts that are there.
    whole = ", ".join(f'"{name}": {text}' for name, text in sorted(texts.items()))
    return hashlib.sha256(f"{{{whole}}}".encode()).hexdigest()[:32]
