"""What the server of workers loads before anything else: nothing that it loads afterwards is garbage."""

from hntes.garbage import collect_rarely

collect_rarely()
