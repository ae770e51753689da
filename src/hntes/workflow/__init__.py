"""The stages ingest, detect, measure, propose, judge, decide and deliver, and questions about their results.

The command line and the scheduler call these functions alone. A stage replaces its own partition of the state, (folder,
file), (router, day) or (router, candidate), as a whole: run again, also after it was killed, it ends in the same state.
"""
