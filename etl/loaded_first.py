"""What the server of workers loads before anything else.

What it loads afterwards is no garbage. Ctrl-C is handled by the command that it works for; the server would end with a
traceback, and so would workers that have just begun.
"""

import signal

from base.garbage import collect_rarely

collect_rarely()
signal.signal(signal.SIGINT, signal.SIG_IGN)
