import binascii
import os

import calibration
import protocol as p
from slot_update import SlotUpdate
from slots import Slots

ROOT = os.getenv("EMBERBOARD_ROOT")


def fresh(name):
    root = ROOT + name + "/"
    os.mkdir(root)
    return root


def said(update, payload):
    buf = bytearray(p.BUFFER)
    buf[p.HEAD : p.HEAD + len(payload)] = payload
    return update.step(payload[0], buf, len(payload))


def test_calibration_is_kept_and_damage_gives_the_defaults():
    path = fresh("calibration") + "c.bin"
    assert calibration.read(path) == bytearray(calibration.DEFAULT)
    calibration.write(path, b"\x01\x02\x03\x04")
    assert calibration.read(path) == bytearray(b"\x01\x02\x03\x04")
    with open(path, "wb") as file:
        file.write(b"\x01\x02\x03\x05\x5e")
    assert calibration.read(path) == bytearray(calibration.DEFAULT)


def send(update, name, content):
    assert said(update, p.update_begin_payload(len(content), binascii.crc32(content), name)) == 0
    at = 0
    while at < len(content):
        assert said(update, p.update_data_payload(at, content[at : at + 100])) == 0
        at = update.offset
    return said(update, bytes((p.END,)))


def test_an_unconfirmed_update_goes_back_and_a_confirmed_one_stays():
    root = fresh("slots")
    slots = Slots(root)
    assert slots.start() == "a" and not slots.unconfirmed()
    update = SlotUpdate(slots)
    content = bytes(range(256)) * 3
    assert said(update, bytes((p.ACTIVATE,))) == p.BAD_VALUE
    assert send(update, b"board.mpy", content) == 0
    assert said(update, bytes((p.ACTIVATE,))) == 0
    with open(root + "b/board.mpy", "rb") as file:
        assert file.read() == content
    assert Slots(root).start() == "b" and Slots(root).unconfirmed()
    assert Slots(root).start() == "a" and not Slots(root).unconfirmed()
    assert Slots(root).start() == "a"
    slots = Slots(root)
    update = SlotUpdate(slots)
    assert send(update, b"board.mpy", content) == 0 and said(update, bytes((p.ACTIVATE,))) == 0
    assert Slots(root).start() == "b"
    assert said(SlotUpdate(Slots(root)), bytes((p.CONFIRM,))) == 0
    assert Slots(root).start() == "b" and Slots(root).other() == "a"


def test_a_damaged_file_and_a_missing_chunk_are_refused():
    root = fresh("damage")
    update = SlotUpdate(Slots(root))
    assert said(update, p.update_data_payload(0, b"x")) == p.BAD_OFFSET
    assert said(update, p.update_begin_payload(4, 1234, b"leds.mpy")) == 0
    assert said(update, p.update_data_payload(1, b"x")) == p.BAD_OFFSET and update.offset == 0
    assert said(update, p.update_data_payload(0, b"abcd")) == 0
    assert said(update, bytes((p.END,))) == p.BAD_CRC
    assert os.listdir(root + "b") == []
    assert said(update, p.update_begin_payload(4, 1, b"../main.py")) == p.BAD_VALUE
    assert said(update, bytes((p.BEGIN,))) == p.BAD_LENGTH
