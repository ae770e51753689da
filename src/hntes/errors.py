"""The root of all errors that HNTES expects."""


class HntesError(Exception):
    """An error that a person can fix or wait out; its message names the object, the problem and the remedy.

    A caller that reports errors catches this one class and shows the message without a traceback. A defect of the
    program never derives from it, so that it keeps its traceback.
    """
