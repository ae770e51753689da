"""What worlds remember of DuckDB (tests/support/world/answers.py) is what DuckDB says of the whole day."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa

from hntes.etl.engines.duck import DuckEngine
from tests.support.world.people import People
from tests.support.world.site import site
from tests.support.world.traffic import FAULTS


def test_remembered_answers_are_those_of_the_whole_day(tmp_path: Path) -> None:
    """Days of all faults, with rules proposed and in force; the second seed has questions that were answered before."""
    real, compared = DuckEngine.run, []
    with site(tmp_path / "site", ("junos", "iosxr")) as made:
        remembered = DuckEngine.run

        def both(*question: Any) -> pa.Table:
            said, whole = remembered(*question), real(*question)
            compared.append((said.equals(whole), whole.num_rows))
            return whole

        with patch.object(DuckEngine, "run", both):
            people = People(1, made)
            for number, fault in enumerate(("", *FAULTS)):
                people.set_clock(number, 1)
                people.traffic(number, {"r1": fault})
                assert people.night(number).word == "done"
                people.approve(made.places[0], "anna")
    assert all(is_equal for is_equal, _ in compared)
    # most have something to compare
    assert sum(rows > 0 for _, rows in compared) > len(FAULTS) * 2
