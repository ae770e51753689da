"""From what was delivered last to what is approved: the commands that lead from one text to the other.

It works from the two texts alone, so that a withdrawal needs nothing but the last delivered file.
"""

from rules.transition.errors import TransitionError
from rules.transition.text import transition, withdrawal

__all__ = ["TransitionError", "transition", "withdrawal"]
