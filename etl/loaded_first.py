"""What the server of workers loads before anything else: what it loads then is no garbage."""

from base.garbage import collect_rarely

collect_rarely()
