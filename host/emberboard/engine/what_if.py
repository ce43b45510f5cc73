"""What an answer would lead to: given on a fork, looked at, thrown away. The journal and the state stay as they are.

A preview never passes a chance question: it stops there and shows the odds. It shows nothing that is not known yet.
"""

from __future__ import annotations

import msgspec

from emberboard.engine.errors import Refused, Stale
from emberboard.engine.game import Note, OddsRow, Threat
from emberboard.engine.question import Choose, Json, Offer, Option, Order, Path, Place, Question
from emberboard.engine.scene import Scene
from emberboard.engine.session import Session


class Preview(msgspec.Struct, frozen=True):
    """Where an answer leads: the new scene, the log lines that came, and what is asked next (`prompt` empty: nothing).

    `options` and `offers` are those of the next question, `odds` its odds, `chance` whether dice or a pile answer it.
    `threats` are given for a walk: who could strike the figure where it ends.
    """

    scene: Scene
    news: tuple[Note, ...] = ()
    prompt: str = ""
    chance: bool = False
    options: tuple[Option, ...] = ()
    offers: tuple[Offer, ...] = ()
    odds: tuple[str, ...] = ()
    odds_table: tuple[OddsRow, ...] = ()
    threats: tuple[Threat, ...] = ()


def what_if(session: Session, value: Json, seat: str = "") -> Preview:
    """What answering the pending question with `value` leads to.

    Raises Stale when nothing is asked, and Refused for an illegal answer or seat, for dice, draws and secret
    answers, and when the rules break on it.
    """
    pending = _decision(session)
    trial = session.fork()
    trial.answer(pending.id, value, seat=seat)
    return _seen(session, trial, seat, pending.figure if isinstance(pending, Path) else "")


def what_if_taken(session: Session, offer: str, seat: str = "") -> Preview:
    """What taking an offer of the pending question leads to. Raises as `what_if` does; chance may be pending here."""
    pending = _asked(session)
    trial = session.fork()
    trial.take(pending.id, offer, seat=seat)
    return _seen(session, trial, seat, "")


def _asked(session: Session) -> Question:
    if session.question is None:
        raise Stale("nothing is asked now")
    if session.question.who.mode == "each":
        raise Refused("each answers in secret here: trying it out would tell what others said")
    return session.question


def _decision(session: Session) -> Question:
    pending = _asked(session)
    if pending.chance:
        raise Refused("dice and draws cannot be tried out: ask for the odds instead")
    return pending


def _seen(session: Session, trial: Session, seat: str, walked: str) -> Preview:
    if trial.trouble is not None:
        raise Refused(trial.trouble.words)
    game, asked = trial.game, trial.question
    news = tuple(note for note in trial.news() if not note.seat or note.seat == seat)
    threats = tuple(game.threats(walked)) if walked else ()
    scene = game.scene(asked)
    if asked is None:
        return Preview(scene, news, threats=threats)
    return Preview(
        scene,
        news,
        asked.prompt,
        asked.chance,
        asked.options if isinstance(asked, (Choose, Order, Place)) else (),
        asked.offers,
        tuple(game.odds(asked)),
        tuple(game.odds_table(asked)),
        threats,
    )
