"""The board's end of the RS-485 line: bytes from the UART to the protocol's board side, its replies out in time.

The driver chip turns its direction by itself, so sending is a plain write. The UART gives no moment of arrival: bytes
came after the moment the buffer was last seen empty, and a reply that may be later than allowed stays unsaid.
Source: PROTOCOL.md, "Exchange".
"""

from time import ticks_add, ticks_diff, ticks_us


class UartBus:
    """`overruns` counts times the receive buffer was found full, `late` the replies kept back."""

    def __init__(self, uart, side, rxbuf, answer_within_us):
        self._uart = uart
        self._side = side
        self._rxbuf = rxbuf
        self._within = answer_within_us
        self._in = bytearray(rxbuf)
        self._views = memoryview(side.out)
        self._replies = [self._views[:n] for n in range(len(side.out) + 1)]
        self._empty_at = ticks_us()
        self._due_at = self._empty_at
        self._due = 0
        self.overruns = 0
        self.late = 0

    def poll(self, now_ms):
        """Take what came and say what is due: whether anything was done."""
        uart = self._uart
        now = ticks_us()
        waiting = uart.any()
        if not waiting:
            self._empty_at = now
            return self._say(now)
        if waiting >= self._rxbuf:
            self.overruns += 1
        side = self._side
        n = uart.readinto(self._in)
        reply = side.receive(self._in, 0, n or 0, now_ms) if n else 0
        if reply:
            self._due = reply
            if side.reply_delay_us:
                self._due_at = ticks_add(now, side.reply_delay_us)
            elif ticks_diff(now, self._empty_at) > self._within:
                self._due = 0
                self.late += 1
            else:
                self._due_at = now
            self._say(now)
        self._empty_at = now
        return True

    def _say(self, now):
        if not self._due or ticks_diff(self._due_at, now) > 0:
            return False
        self._uart.write(self._replies[self._due])
        self._due = 0
        return True

    def waits_us(self):
        """How long until a reply of a discovery round is due in us; -1: none waits."""
        if not self._due:
            return -1
        return max(0, ticks_diff(self._due_at, ticks_us()))
