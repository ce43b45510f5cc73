"""`emberboard demo`: a whole fight plays itself through virtual hands, boards that run the firmware, and the bus.

Everything but the hands is what a real table has: firmware processes behind a serial port, the bus master's process,
keys, reader and rail in their threads, figures that have to be put where the light asks. The same seed is the same
fight, with faults too: a board without power, a restarted bus, a reader that misses are waited out and mended.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import msgspec
import typer

from emberboard.cli.demo_hands import DemoHands, HandsError
from emberboard.cli.demo_places import learn_places
from emberboard.devices.table_file import table_named
from emberboard.engine.errors import ProcedureError, Refused
from emberboard.engine.question import Json, Offer
from emberboard.engine.session import Session
from emberboard.games import registry
from emberboard.games.desk import find_scenario
from emberboard.link.wire import WireError
from emberboard.play.new_fight import seats_for
from emberboard.table.power_scale import PowerScale
from emberboard.table.roles import load_theme
from emberboard.table.wired_table import WiredTable
from emberboard.virtual.firmware_process import FirmwareError
from emberboard.virtual.table import VirtualTable, box_tags

FAULT_EVERY = 25
"""Inputs to the game between two faults."""
BACK_MS = 60_000
"""The next board is found, and one that has power again is back, within this time, on a loaded machine too."""


class Spread(msgspec.Struct, frozen=True):
    """How times (ms) are spread: half are at most `median`, 95 % at most `most`."""

    count: int
    median: int
    most: int
    worst: int

    @classmethod
    def of(cls, times: Sequence[int]) -> Spread:
        """Of no times all is 0."""
        found = sorted(times) or [0]
        return cls(len(times), found[(len(found) - 1) // 2], found[(len(found) * 19 - 1) // 20], found[-1])


class DemoOutcome(msgspec.Struct):
    """What came of it. Times in ms; `errors` counts tries on the bus that got no good reply."""

    scenario: str
    table: str
    players: int
    seed: int
    result: str
    rounds: int
    inputs: int
    rolls: int
    draws: int
    touches: int
    presses: int
    tokens: int
    pictures: int
    frames: int
    errors: int
    faults: int
    touch_to_light: Spread
    lift_to_light: Spread
    state_hash: str
    seconds: float


def decide(session: Session) -> tuple[Offer | None, Json]:
    """What the game's simple player wants: an offer, or else an answer."""
    from emberboard.games.evershade import policy
    from emberboard.games.evershade.game import Evershade

    question, game = session.question, session.game
    if question is None or not isinstance(game, Evershade):
        raise Refused("the simple player of this game does not play at a table yet")
    offer = policy.wanted_offer(game, question)
    return offer, None if offer is not None else policy.decide(game, question)


class Demo:
    """One fight at one virtual table. `say` gets a line when something is worth it."""

    def __init__(
        self,
        seed: int,
        players: int,
        table: str,
        say: Callable[[str], None],
        *,
        faults: bool = False,
        learn: bool = False,
    ) -> None:
        """`learn` begins with boards whose places are not known. Raises Refused (also when firmware or bus cannot start
        here), ContentError, HandsError.
        """
        self.seed, self.players, self.say, self.faulty = seed, players, say, faults
        self.file = table_named(table)
        desk, shown = find_scenario("")
        setup = desk.setup(shown.id, seats_for(desk, shown.id, players))
        self.session = Session.new(registry.game_class(desk.name), setup, rng=random.Random(seed))
        scene = self.session.game.scene(self.session.question)
        wide, high = self.file.tiles
        if scene.width > wide or scene.height > high:
            raise Refused(f"the fight needs {scene.width} x {scene.height} tiles, table {table} has {wide} x {high}")
        self.faults = 0
        self._of_dead_buses = (0, 0)
        self._next_fault = FAULT_EVERY
        self._rounds = -1
        try:
            self.virtual = VirtualTable(self.file)
        except (FirmwareError, WireError) as error:
            raise Refused(str(error)) from error
        if learn:
            self._learn()
        tags = box_tags()
        self.table = WiredTable(
            self.session,
            self.virtual.wire,
            self.virtual.registry,
            self.virtual.devices,
            self.virtual,
            pixels=self.file.rail.pixels,
            power=PowerScale.of(self.file, load_theme()),
            tags=tags,
        )
        self.hands = DemoHands(self.table, self.virtual, tags, random.Random(seed), decide)

    def _learn(self) -> None:
        try:
            learn_places(self.virtual, self.say)
        except BaseException:
            self.close()
            raise

    def play(self, rounds: int = 0, most: int = 20_000) -> None:
        """Play on to the end, or until so many Rounds are over. Raises HandsError, ProcedureError, WireError."""
        if not self.table.heard:
            self._begin()
        for _ in range(most):
            if self.session.question is None or (rounds and self._round() > rounds):
                return
            self.hands.step()
            if self.session.trouble is not None:
                raise ProcedureError(self.session.trouble.words)
            self._progress()
            if self.faulty and len(self.session.journal.tree.path()) >= self._next_fault:
                self._next_fault += FAULT_EVERY
                self._fault()
        raise HandsError(f"the fight was not over after {most} steps")

    def _begin(self) -> None:
        self.table.start()
        self._await_boards(len(self.file.places))
        self.say(f"{len(self.file.places)} boards found; the figures go onto the table.")

    def _round(self) -> int:
        return int(self.session.game.summary().get("rounds") or 0)

    def _progress(self) -> None:
        now = self._round()
        if now != self._rounds:
            self._rounds = now
            scene = self.session.game.scene(None)
            sides = [one.side for one in scene.figures]
            hands = self.hands
            self.say(
                f"Round {scene.round}: {len(sides)} figures, {sides.count('enemy')} of them Enemies; "
                f"{hands.touches} touches, {hands.presses} keys, {hands.tokens} tokens so far"
            )

    # -- boards and faults --------------------------------------------------------------------------------------------

    def _await_boards(self, count: int) -> None:
        """Until so many boards have told what they feel."""
        heard = self.table.heard
        while (now := len(heard)) < count:
            if not self.hands.until(lambda: len(heard) > now, BACK_MS):
                raise HandsError(f"only {now} of {count} boards are found")

    def _fault(self) -> None:
        """One of four faults in turn; it is over and mended when this returns."""
        self.faults += 1
        places = self.file.places
        place = places[self.faults % len(places)]
        uid = self.virtual.uid_at(place)
        match self.faults % 4:
            case 1:
                self.say(f"Fault: board {place} is without power")
                self.virtual.unplug(place)
                self._lost(uid, place)
                self.virtual.replug(place)
                self._back(uid, place)
            case 2:
                self.say("Fault: the bus is killed and started again")
                self._of_dead_buses = self._counted()
                self.table.heard.clear()
                self.table.reconnect(self.virtual.restart_bus())
                self._await_boards(len(places))
            case 3:
                self.say("Fault: the reader misses two polls")
                self.virtual.readers["bag"].fault(miss=2)
            case _:
                self.say(f"Fault: board {place} restarts")
                self.table.heard.discard(uid)
                self.virtual.unplug(place)
                self.virtual.replug(place)
                self._back(uid, place)

    def _lost(self, uid: str, place: str) -> None:
        if not self.hands.until(lambda: uid not in self.table.heard, BACK_MS):
            raise HandsError(f"the table does not notice that board {place} is gone")

    def _back(self, uid: str, place: str) -> None:
        if not self.hands.until(lambda: uid in self.table.heard, BACK_MS):
            raise HandsError(f"board {place} does not come back")

    def _counted(self) -> tuple[int, int]:
        """Frames, and tries without a good reply, on all buses so far."""
        found = self.table.wire.statistics().values()
        frames = sum(one["tries"] + one["exchanges"] for one in found)
        return self._of_dead_buses[0] + int(frames), self._of_dead_buses[1] + int(sum(one["misses"] for one in found))

    def outcome(self, seconds: float) -> DemoOutcome:
        """What came of it."""
        summary = self.session.game.summary()
        frames, errors = self._counted()
        played = [entry for entry in self.session.journal.tree.path() if not entry.failed]
        return DemoOutcome(
            scenario=str(summary.get("scenario", "")),
            table=self.file.table,
            players=self.players,
            seed=self.seed,
            result=str(summary.get("result") or ""),
            rounds=self._round(),
            inputs=len(played),
            rolls=sum(bool(entry.dice) for entry in played),
            draws=sum(bool(entry.pile) for entry in played),
            touches=self.hands.touches,
            presses=self.hands.presses,
            tokens=self.hands.tokens,
            pictures=self.table.pictures,
            frames=frames,
            errors=errors,
            faults=self.faults,
            touch_to_light=Spread.of(self.table.touch_to_light),
            lift_to_light=Spread.of(self.table.lift_to_light),
            state_hash=self.session.state_hash(),
            seconds=round(seconds, 1),
        )

    def close(self) -> None:
        """End all processes and threads."""
        self.virtual.close()
        self.session.close()


def demo(*, seed: int, players: int, table: str, faults: bool, learn: bool, json: bool) -> int:
    """Play a whole fight and print what came of it; exit status 0 when it reached its end."""
    started = time.perf_counter()
    one = Demo(seed, players, table, _silent if json else typer.echo, faults=faults, learn=learn)
    try:
        one.play()
        outcome = one.outcome(time.perf_counter() - started)
    except KeyboardInterrupt:
        typer.echo("Stopped. The same seed plays the same fight again.", err=True)
        return 130
    finally:
        one.close()
    if json:
        typer.echo(msgspec.json.encode(outcome).decode())
    else:
        for line in summary_lines(outcome):
            typer.echo(line)
    return 0 if outcome.result else 1


def _silent(words: str) -> None:
    """Says nothing."""


def spread_line(what: str, times: Spread) -> str:
    """A spread in words."""
    return f"{what}: median {times.median} ms, 95 % within {times.most} ms, worst {times.worst} ms of {times.count}"


def summary_lines(outcome: DemoOutcome) -> list[str]:
    """The summary as players read it."""
    return [
        f"Result: {outcome.result} after {outcome.rounds} Round(s) in {outcome.seconds} s",
        f"{outcome.inputs} inputs, {outcome.rolls} rolls, {outcome.draws} draws; by hand {outcome.touches} touches, "
        f"{outcome.presses} keys, {outcome.tokens} tokens",
        f"Bus: {outcome.frames} frames, {outcome.errors} without a good reply, {outcome.pictures} pictures; "
        f"{outcome.faults} fault(s) made",
        spread_line("Touch to light", outcome.touch_to_light),
        spread_line("Lift to light (a lift counts when it has lasted)", outcome.lift_to_light),
        f"State {outcome.state_hash}",
    ]
