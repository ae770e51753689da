"""The number of examples of a property test: a share of the profile's, so that a long run multiplies all alike."""

from hypothesis import settings


def examples(share: float) -> settings:
    """Decorates a property whose examples are dearer (share below 1) or cheaper (above 1) than most; at least 5."""
    profile = settings.default
    assert profile is not None
    return settings(max_examples=max(round(profile.max_examples * share), 5))
