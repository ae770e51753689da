"""The root of all errors that HNTES expects."""


class HntesError(Exception):
    """Something that a person can mend or wait for: its message names the object, what is wrong and what to do.

    A caller that reports errors catches this one class and shows the message without a traceback. A defect of the
    program never derives from it, so that it keeps its traceback.
    """
