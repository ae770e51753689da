"""The stages ingest, detect, measure, propose, judge, decide and deliver, and queries on their results.

The command line and the scheduler call only these functions. Each stage replaces its own partition of the state,
(folder, file), (router, day) or (router, candidate), as a whole, so that a repeated run, even after a kill, ends in the
same state.
"""
