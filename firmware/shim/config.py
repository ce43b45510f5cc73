"""A process beside many others on one machine is woken late: the host waits 70 ms there, not 2.9."""

import world

ANSWER_WITHIN_US = 50000
ROOT = world.getenv("EMBERBOARD_ROOT") or "/"
