"""The contract of a token reader, on the stand-in, on the real driver over a PN532 behind a PTY, on a real table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.devices.events import DeviceBack, DeviceEvent, DeviceLost, TagGone, TagShown
from emberboard.devices.tags import TagTracker
from tests.devices.reader_rigs import ReaderRig

ONE, OTHER, LONG = "04A1B2C3", "DEADBEEF", "04112233445566"


def opened(reader: ReaderRig) -> None:
    back = reader.next()
    assert isinstance(back, DeviceBack), back
    assert back.device == "reader bag"


def shown(reader: ReaderRig, event: DeviceEvent, tag: str) -> None:
    assert isinstance(event, TagShown), event
    assert reader.by_hand or event.tag == tag


def gone(reader: ReaderRig, event: DeviceEvent, tag: str) -> None:
    assert isinstance(event, TagGone), event
    assert reader.by_hand or event.tag == tag


@pytest.mark.parametrize("tag", [ONE, LONG])
def test_a_tag_that_lies_there_is_shown_once(reader: ReaderRig, tag: str) -> None:
    opened(reader)
    reader.present(tag)
    shown(reader, reader.next(), tag)
    assert reader.quiet(0.5)
    reader.remove(tag)
    gone(reader, reader.next(), tag)
    assert reader.quiet(0.2)


def test_a_tag_that_comes_back_is_shown_again(reader: ReaderRig) -> None:
    opened(reader)
    for _ in range(2):
        reader.present(ONE)
        shown(reader, reader.next(), ONE)
        reader.remove(ONE)
        gone(reader, reader.next(), ONE)


def test_two_tags_after_each_other(reader: ReaderRig) -> None:
    opened(reader)
    reader.present(ONE)
    shown(reader, reader.next(), ONE)
    reader.remove(ONE)
    reader.present(OTHER)
    found = sorted((reader.next(), reader.next()), key=lambda event: isinstance(event, TagGone))
    shown(reader, found[0], OTHER)
    gone(reader, found[1], ONE)


def test_fewer_misses_than_the_limit_are_no_leaving(reader: ReaderRig) -> None:
    if reader.by_hand:
        pytest.skip("a hand cannot make a poll miss")
    opened(reader)
    reader.present(ONE)
    shown(reader, reader.next(), ONE)
    reader.fault(miss=reader.misses - 1)
    assert reader.quiet(0.4)
    reader.fault(miss=reader.misses)
    gone(reader, reader.next(), ONE)
    shown(reader, reader.next(), ONE)


def test_a_silent_reader_is_told_once_and_comes_back_with_what_lay_on_it(reader: ReaderRig) -> None:
    if reader.by_hand:
        pytest.skip("a real reader cannot be silenced to order")
    opened(reader)
    reader.present(ONE)
    shown(reader, reader.next(), ONE)
    reader.fault(mute=True)
    lost = reader.next()
    assert isinstance(lost, DeviceLost), lost
    assert "no answer" in lost.words
    reader.fault(mute=False)
    opened(reader)
    # It lay there all the time: that is no second draw.
    assert reader.quiet(0.3)
    reader.remove(ONE)
    gone(reader, reader.next(), ONE)


@given(st.integers(1, 4), st.lists(st.sets(st.sampled_from("abc")), max_size=40))
def test_came_and_gone_alternate_and_a_tag_leaves_after_exactly_n_misses(misses: int, polls: list[set[str]]) -> None:
    tracker = TagTracker(misses)
    there: set[str] = set()
    for at, seen in enumerate(polls):
        came, left = tracker.poll(sorted(seen))
        assert set(came) == seen - there
        assert set(left) == {
            tag
            for tag in there
            if at + 1 >= misses and not any(tag in poll for poll in polls[at + 1 - misses : at + 1])
        }
        there = (there | set(came)) - set(left)
        assert set(tracker.present) == there
