"""Lasting Tales in miniature: Tests, the Critical die, Fate, strikes, and the spawn pool.

Reads like the rulebook; the ids are those of `rules/lasting_tales.yaml`. Left out: the plane (contact is given by
the setup as an explicit relation), ranged attacks, magic, and all conditions but Focused.
"""

from __future__ import annotations

from tests.engine.toys.lasting_tales import rounds, trials
from tests.engine.toys.lasting_tales.tale import LastingTales

LastingTales.procedures = {
    procedure.__name__: procedure
    for procedure in (
        rounds.initiative_phase,
        rounds.heroes_phase,
        rounds.activate,
        rounds.event_check,
        rounds.adversaries,
        rounds.adversary_activation,
        rounds.spawn_check,
        rounds.recovery_phase,
        trials.fate_reroll,
        trials.focus,
        trials.one_test,
    )
}

__all__ = ["LastingTales"]
