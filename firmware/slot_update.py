"""The board's half of an update: files come in chunks into the slot that does not run. PROTOCOL.md, "Service"."""

import binascii
import os

import protocol as p

BEFORE = ".new"  # a file is called so until its CRC-32 was found right


class SlotUpdate:
    """`offset` is what PROGRESS tells. `step` gives 0 or an ERROR code."""

    def __init__(self, slots):
        self._slots = slots
        self._file = None
        self._name = ""
        self._size = 0
        self._crc = 0
        self._sum = 0
        self.offset = 0
        self._whole = 0

    def _folder(self):
        return self._slots.root + self._slots.other()

    def step(self, step, buf, n):
        """One step of an update, its payload at `buf[HEAD:HEAD + n]`."""
        try:
            if step == p.BEGIN:
                return self._begin(buf, n)
            if step == p.DATA:
                return self._data(buf, n)
            if step == p.END:
                return self._end()
            if step == p.ACTIVATE:
                if not self._whole or self._file:
                    return p.BAD_VALUE
                self._slots.activate()
                return 0
            if step == p.CONFIRM:
                self._slots.confirm()
                return 0
            if step == p.ABORT:
                self._drop()
                self._whole = 0
                return 0
        except p.ProtocolError:
            return p.BAD_LENGTH
        except OSError:
            self._drop()
            return p.NO_ROOM
        return p.BAD_VALUE

    def _drop(self):
        if self._file:
            self._file.close()
            self._file = None
        self.offset = 0

    def _begin(self, buf, n):
        size, crc, told = p.read_update_begin(buf, n)
        name = told.decode()
        if "/" in name or name.startswith("."):
            return p.BAD_VALUE
        self._drop()
        try:
            os.mkdir(self._folder())
        except OSError:
            pass  # it is there
        if not self._whole:
            for old in os.listdir(self._folder()):
                os.remove(self._folder() + "/" + old)
        self._name, self._size, self._crc = self._folder() + "/" + name, size, crc
        self._sum = 0
        self._file = open(self._name + BEFORE, "wb")
        return 0

    def _data(self, buf, n):
        offset, start, count = p.read_update_data(buf, n)
        if not self._file or offset != self.offset:
            return p.BAD_OFFSET
        if offset + count > self._size:
            return p.BAD_VALUE
        chunk = bytes(buf[start : start + count])
        self._file.write(chunk)
        self._sum = binascii.crc32(chunk, self._sum)
        self.offset += count
        return 0

    def _end(self):
        if not self._file or self.offset != self._size:
            return p.BAD_OFFSET
        self._file.close()
        self._file = None
        self.offset = 0
        if self._sum & 0xFFFFFFFF != self._crc:
            os.remove(self._name + BEFORE)
            return p.BAD_CRC
        os.rename(self._name + BEFORE, self._name)
        self._whole += 1
        return 0
