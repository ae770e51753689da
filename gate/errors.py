"""What cannot be simulated as it stands, and is therefore not judged."""


class NotJudgedError(Exception):
    """A part of a text that the simulator cannot express exactly; the message names it and says what to do."""
