"""The coach: what one decision is worth, in numbers and in a sentence, from the sight of one seat.

    coach = Coach()
    found = coach.advice(sight, rules)
    found.options[0].text, found.options[0].win      # the best answer and its chance to win the game
    found.reason                                     # why, from the same numbers
    found.to_json()                                  # plain values

Everything is a function of the sight, the rules, the seed and the budget: no hidden card can enter.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ginrummy import decks, typed
from ginrummy.cards import CARDS
from ginrummy.coach.facts import DiscardFacts, Outs, as_array, discard_facts, outs_of
from ginrummy.coach.reasons import reason_of
from ginrummy.compiled.worlds import DISCARDING
from ginrummy.errors import BadInput
from ginrummy.estimators.base import Estimator
from ginrummy.estimators.registry import make_estimator
from ginrummy.melds import deadwood
from ginrummy.rules import Rules
from ginrummy.search import advice as search
from ginrummy.search.advice import Advice, Ends, Option
from ginrummy.search.arms import ARMS
from ginrummy.search.searcher import Searcher
from ginrummy.stats import Estimate
from ginrummy.view import WALL_OFFER, Sight, from_sights

ROLLOUTS = 20_000
"""Lines of play for one advice about a discard: about 0.2 seconds of a processor."""
FEWER = 4
"""A draw or a knock has two answers and takes so many times fewer lines."""
MOST_ROLLOUTS = 10_000_000
DEFAULT_ESTIMATOR = "joint"


@dataclass(frozen=True)
class CoachOption:
    """One legal answer: what it is worth, and for a discard what it gives away and leaves."""

    text: str
    """For people: take 7D, draw, pass, discard KD, discard KD and knock, knock, play on."""
    answer: int
    """1 take, 0 leave; the card to discard; 1 knock, 0 play on."""
    knock: bool
    """Whether a knock is part of the answer."""
    win: Estimate
    """Chance to win the game, with its standard error."""
    points: Estimate
    """Points of the round, positive for the side that asks."""
    behind: Estimate
    """How far its chance to win is behind the best option's, 0 or less; 0 for the best one."""
    ends: Ends
    """How the round ends after it, as shares that add up to 1."""
    discard: DiscardFacts | None
    """Only for discards."""


@dataclass(frozen=True)
class KnockOdds:
    """What a knock now is worth beside playing on, as shares of the sampled worlds."""

    text: str
    """The best answer with a knock."""
    wins: float
    """The knock, or gin, wins now."""
    undercut: float
    """The knock is undercut."""
    gin: bool
    """Whether the hand laid down is gin."""
    win: Estimate
    """Chance to win the game by the knock."""
    on_text: str
    """The best answer without a knock."""
    gin_later: float
    """Playing on ends in own gin."""
    knock_later: float
    """Playing on ends in an own knock that wins."""
    undercut_later: float
    opponent_gin: float
    """Playing on ends in the opponent's gin."""
    opponent_knock: float
    """Playing on ends in a knock of the opponent that wins."""
    opponent_undercut: float
    """Playing on ends in a knock of the opponent that is undercut."""
    dead: float
    on_win: Estimate
    """Chance to win the game by playing on."""


@dataclass(frozen=True)
class CardChances:
    """How likely the opponent holds each card, by one estimator."""

    estimator: str
    chances: tuple[float, ...]
    """[52] by card, 13 · suit + rank, suits C H S D: four rows of thirteen. Known cards have 0 or 1."""

    def rows(self) -> tuple[tuple[float, ...], ...]:
        """[4][13] the same by suit and rank."""
        return tuple(self.chances[13 * suit : 13 * suit + 13] for suit in range(4))


@dataclass(frozen=True)
class CoachAdvice:
    """What the coach says about one decision."""

    question: str
    """draw, discard or knock."""
    options: tuple[CoachOption, ...]
    """Every legal answer, the best first."""
    reason: str
    """Why the best one is best, in a sentence or two made from the numbers here."""
    knock: KnockOdds | None
    """Where a knock is among the answers."""
    belief: CardChances
    """Of the estimator that was asked for; the options are played by the joint belief."""
    types: dict[str, float]
    """How likely each type of opponent is (``estimators.types``)."""
    deadwood: int
    """Own least deadwood as the cards are held now."""
    opponent_deadwood: Estimate
    """The opponent's deadwood: its mean, and as error its standard deviation among the hands."""
    outs: Outs | None
    """What would help the hand, before a draw."""
    worlds: int
    rollouts: int

    @property
    def best(self) -> CoachOption:
        """The option with the greatest chance to win the game."""
        return self.options[0]

    def option(self, answer: int, knock: bool) -> CoachOption:
        """The option with an answer, as ``CoachOption`` writes it."""
        for option in self.options:
            if option.answer == answer and option.knock == knock:
                return option
        raise BadInput(f"no option answers {answer} with knock {knock}: {[o.text for o in self.options]}")

    def to_json(self) -> dict[str, Any]:
        """Plain values; numbers with errors are lists of two."""
        written: dict[str, Any] = typed.write(self)
        return written


class Coach:
    """Advises about any decision. It keeps no state of a game: one coach serves any number of tables."""

    def __init__(self, estimator: str = DEFAULT_ESTIMATOR, seed: int = 0) -> None:
        if not 0 <= seed <= decks.MAX_SEED:
            raise BadInput(f"expected a seed from 0 to {decks.MAX_SEED}, got {seed}")
        self.estimator = estimator
        self.seed = seed
        _estimator(estimator)  # a wrong name is refused here

    def advice(
        self, seen: Sight, rules: Rules, budget: int = ROLLOUTS, estimator: str | None = None
    ) -> CoachAdvice:
        """Advice about the decision that a seat faces; ``budget``: lines of play for a discard.

        A sight after a knock, or of a finished round, has nothing to decide: ``BadInput``.
        """
        check_budget(budget)
        view, u = search.as_view(seen), self.chance(seen)
        discards = search.question_of(view, 0) == DISCARDING
        searcher = adviser(rules, budget if discards else max(ARMS, budget // FEWER))
        found = search.advise(searcher, view, 0, u)
        worlds = searcher.belief.sample(view, np.arange(1), np.array([u]), searcher.settings.hands)
        hands, weights = np.ascontiguousarray(worlds.hands[0], np.int64), worlds.weights[0].astype(np.float64)
        chances = as_array(found.cards)
        asked = _legal(found, seen)
        facts: dict[int, DiscardFacts] = {}
        if found.question == "discard":
            cards = sorted({option.answer for option in asked})
            facts = discard_facts(seen, cards, hands, weights, chances)
        drawing = found.question == "draw"
        made = CoachAdvice(
            question=found.question,
            options=tuple(_option(option, facts.get(option.answer)) for option in asked),
            reason="",
            knock=_knock_odds(asked, seen),
            belief=self._shown(seen, found, estimator or self.estimator),
            types=found.types,
            deadwood=int(deadwood(seen.hand)),
            opponent_deadwood=found.deadwood,
            outs=outs_of(seen.hand, seen.unseen, seen.limit, chances) if drawing else None,
            worlds=found.worlds,
            rollouts=found.rollouts,
        )
        return replace(made, reason=reason_of(made, seen))

    def belief(self, seen: Sight, estimator: str | None = None) -> CardChances:
        """How likely the opponent holds each card, by any registered estimator."""
        name = estimator or self.estimator
        chances = _estimator(name).masked(from_sights([seen]), np.arange(1))
        return CardChances(name, tuple(float(chance) for chance in chances.reshape(CARDS)))

    def chance(self, seen: Sight) -> float:
        """The uniform number that seeds the worlds of a decision."""
        return decks.uniform(self.seed, 0, seen.round, int(seen.starts), seen.events)

    def _shown(self, seen: Sight, found: Advice, name: str) -> CardChances:
        return CardChances(name, found.cards) if name == DEFAULT_ESTIMATOR else self.belief(seen, name)


def check_budget(rollouts: int) -> None:
    """Refuse a budget with which not every answer can be played once, or that never ends."""
    if not ARMS <= rollouts <= MOST_ROLLOUTS:
        raise BadInput(f"expected from {ARMS} to {MOST_ROLLOUTS} lines of play, got {rollouts}")


@lru_cache(maxsize=32)
def adviser(rules: Rules, rollouts: int) -> Searcher:
    """The search of ``champion`` with a budget."""
    from ginrummy.players import champion  # opens networks: needed for advice alone

    return champion.adviser(rules, settings=replace(champion.ADVICE, rollouts=rollouts))


@lru_cache(maxsize=16)
def _estimator(name: str) -> Estimator:
    return make_estimator(name)


def _legal(found: Advice, seen: Sight) -> list[Option]:
    """The options that the rules allow: at the wall, whoever takes the upcard must knock."""
    must = found.question == "discard" and seen.offer == WALL_OFFER
    return [option for option in found.options if option.knock or not must]


def _option(option: Option, facts: DiscardFacts | None) -> CoachOption:
    return CoachOption(
        option.text, option.answer, option.knock, option.win, option.points, option.behind, option.ends, facts
    )


def _knock_odds(options: list[Option], seen: Sight) -> KnockOdds | None:
    knocks = [option for option in options if option.knock]
    others = [option for option in options if not option.knock]
    if not knocks or not others:
        return None
    now, on = knocks[0], others[0]
    left = seen.hand & ~(1 << now.answer) if seen.allowed else seen.hand
    return KnockOdds(
        text=now.text,
        wins=now.ends.knock + now.ends.gin,
        undercut=now.ends.undercut,
        gin=int(deadwood(left)) == 0,
        win=now.win,
        on_text=on.text,
        gin_later=on.ends.gin,
        knock_later=on.ends.knock,
        undercut_later=on.ends.undercut,
        opponent_gin=on.ends.opponent_gin,
        opponent_knock=on.ends.opponent_knock,
        opponent_undercut=on.ends.opponent_undercut,
        dead=on.ends.dead,
        on_win=on.win,
    )
