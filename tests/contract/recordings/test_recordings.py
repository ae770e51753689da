"""The drivers decide on what routers were seen to say: recordings after public transcripts, each with its source."""

from collections import Counter

import pytest

from hntes.platforms import device_errors
from tests.contract.recordings.player import Recording, played, recordings, script_of
from tests.support.benches import DELIVERED_TO

RECORDINGS = recordings()
SOURCES = "https://github.com/"


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda each: f"{each.platform}: {each.name}")
def test_the_driver_sends_and_decides_as_recorded(recording: Recording) -> None:
    script = script_of(recording)
    if recording.error:
        with pytest.raises(getattr(device_errors, recording.error)) as raised:
            played(recording, script)
        assert type(raised.value).__name__ == recording.error
        assert recording.told in str(raised.value)
    else:
        assert recording.result is not None
        assert played(recording, script) == recording.result
    assert script.unexpected == []
    assert script.unsent == []


def test_every_recording_names_its_source_and_is_of_its_own() -> None:
    assert len(RECORDINGS) >= 20
    assert all(each.source.startswith(SOURCES) for each in RECORDINGS)
    assert max(Counter((each.platform, each.name) for each in RECORDINGS).values()) == 1
    assert {each.platform for each in RECORDINGS} == set(DELIVERED_TO)
