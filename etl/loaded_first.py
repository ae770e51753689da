"""What the server of workers loads before anything else.

Nothing that it loads afterwards is garbage. Ctrl-C is left to the command that it serves: otherwise the server, and
workers that have just begun, would end with a traceback.
"""

import signal

from base.garbage import collect_rarely

collect_rarely()
signal.signal(signal.SIGINT, signal.SIG_IGN)
