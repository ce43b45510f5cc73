"""Typed inputs to answers: for each kind of question the draft that gathers its answer."""

from __future__ import annotations

from emberboard.engine.errors import Refused
from emberboard.engine.question import Choose, Confirm, Draw, Number, Order, Path, Place, Question, Roll, Window
from emberboard.table.bag_phase import Drawing
from emberboard.table.choosing import Choosing, Counting, Ordering
from emberboard.table.dice_station import Rolling
from emberboard.table.draft import Draft, Setting
from emberboard.table.seats import Confirming, Opening
from emberboard.table.walking import Placing, Walking


def draft_for(question: Question, setting: Setting) -> Draft:
    """The answer in the making to this question. Raises Refused for a kind that the table does not know."""
    match question:
        case Choose():
            return Choosing(question, setting)
        case Order():
            return Ordering(question, setting)
        case Place():
            return Placing(question, setting)
        case Path():
            return Walking(question, setting)
        case Roll():
            return Rolling(question, setting)
        case Draw():
            return Drawing(question, setting)
        case Number():
            return Counting(question, setting)
        case Confirm():
            return Confirming(question, setting)
        case Window():
            return Opening(question, setting)
    raise Refused(f"the table cannot ask a question of kind {type(question).__name__}")
