"""The functions of ``import ginrummy``: text and plain values in, readable values out.

>>> import ginrummy
>>> ginrummy.deadwood("AC 2C 3C 7D 7H 7S KD QD 2H 9S")
31
"""

from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from time import perf_counter
from typing import Any, Literal, overload

import numpy as np

from ginrummy import coach, decks, melds, tournament
from ginrummy.cards import parse_card
from ginrummy.cardset import Cards, CardSet
from ginrummy.coach import Review
from ginrummy.errors import BadInput
from ginrummy.estimators.base import Beliefs, Estimator
from ginrummy.estimators.registry import make_estimator
from ginrummy.evidence import provenance
from ginrummy.notation import GameRecord, read_all
from ginrummy.players.base import Player
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player
from ginrummy.round import Round
from ginrummy.rules import Rules, check_rules, parse_rules, rules_text
from ginrummy.search import advice
from ginrummy.search.advice import Advice
from ginrummy.search.arms import ARMS as MOST_ARMS
from ginrummy.search.searcher import Searcher
from ginrummy.view import IntArray, Sight, View, from_sights


def card(text: str) -> int:
    """The number of a card from its text, rank then suit: 13 · suit + rank, ace 0, suits C H S D.

    Examples:
        >>> card("AC"), card("10♦")
        (0, 48)
    """
    return parse_card(text)


def hand(cards: Cards) -> CardSet:
    """Some cards as a readable set, from text, a bit mask or single cards.

    Examples:
        >>> hand("3C 2C AC TD")
        CardSet('AC 2C 3C TD')
    """
    return CardSet(cards)


def deadwood(cards: Cards) -> int:
    """The fewest points that a hand can be left with, over all choices of melds.

    Examples:
        >>> deadwood("AC 2C 3C 7D 7H 7S KD QD 2H 9S")
        31
    """
    return int(melds.deadwood(_meldable(cards)))


def best_melds(cards: Cards) -> list[tuple[CardSet, ...]]:
    """Every choice of melds that leaves least deadwood; a hand without melds has one choice: no melds.

    Examples:
        >>> best_melds("AC 2C 3C 4C 4D 4H KD")
        [(CardSet('AC 2C 3C'), CardSet('4C 4H 4D'))]
    """
    sets = melds.best_meld_sets(_meldable(cards)) or [()]
    return [tuple(map(CardSet, laid)) for laid in sets]


def _meldable(cards: Cards) -> int:
    held = CardSet(cards)
    if len(held) > melds.MAX_CARDS:
        raise BadInput(f"expected a hand of at most {melds.MAX_CARDS} cards, got {len(held)}")
    return int(held)


def deal(seed: int = 1, rules: str | Rules = "eaai", *, game: int = 0, round_: int = 0) -> Round:
    """Deal a round from the deck that every match uses for this seed, game and round.

    Examples:
        >>> deal(seed=7).hands == deal(seed=7).hands
        True
    """
    if not 0 <= seed <= decks.MAX_SEED or min(game, round_) < 0:
        raise BadInput(f"expected a seed, a game and a round from 0 on, got {seed}, {game} and {round_}")
    return Round.deal(decks.deck(seed, game, round_), decks.starter(seed, game), _rules(rules))


@overload
def estimate(estimator: str | Estimator, seen: Sight) -> Beliefs: ...
@overload
def estimate(estimator: str | Estimator, seen: View, rows: IntArray | None = None) -> Beliefs: ...
def estimate(estimator: str | Estimator, seen: Sight | View, rows: IntArray | None = None) -> Beliefs:
    """The chance that the opponent holds each card, given what one side sees.

    A sight gives 52 chances, indexed by card. A view gives 52 for each table, or for each of ``rows``.
    Known cards have chance 0 or 1, and the chances add up to the number of cards that the opponent holds.

    Examples:
        >>> table = deal(seed=1)
        >>> chances = estimate("null", table.sight(table.mover))
        >>> chances.shape, round(float(chances.sum()), 3)
        ((52,), 10.0)
    """
    method = _estimator(estimator) if isinstance(estimator, str) else estimator
    if isinstance(seen, Sight):
        return method.masked(from_sights([seen]), np.arange(1)).reshape(-1)
    return method.masked(seen, np.arange(len(seen)) if rows is None else rows)


def advise(seen: Sight, rules: str | Rules = "eaai", rollouts: int = 20_000) -> Advice:
    """Every legal answer to the decision that one side faces, with its chance to win the game.

    The search of ``champion`` plays all answers on in the same worlds, drawn from its belief about the
    opponent. The same sight gives the same advice. Ten times the ``rollouts`` make errors a third as large.

    Examples:
        >>> table = deal(seed=1)
        >>> advice = advise(table.sight(table.mover), rollouts=400)
        >>> advice.question, sorted(option.text for option in advice.options)
        ('draw', ['pass', 'take JH'])
    """
    if not MOST_ARMS <= rollouts <= 10_000_000:
        raise BadInput(f"rollouts must be from {MOST_ARMS} to 10000000, not {rollouts}")
    return advice.advise(_adviser(_rules(rules), rollouts), seen)


def review(
    record: str | GameRecord,
    seat: int = 0,
    budget: Literal["quick", "normal", "deep"] = "normal",
    *,
    opponent: bool = False,
) -> Review:
    """The coach's review of one game for one seat: marks, winning chances, luck, a quiz.

    The record is text in the notation of this project, or a ``GameRecord``. Of several games in a text the
    first one is reviewed. The same record gives the same review.

    Examples:
        >>> from ginrummy import EAAI, Game, Pass, deck
        >>> from ginrummy.notation import record_of
        >>> game = Game(EAAI, first_starter=0)
        >>> game.deal(deck(seed=1, game=0, round_=0)).apply(Pass())
        >>> found = review(record_of(game), seat=0, budget="quick")
        >>> [(one.question, one.played) for one in found.judged]
        [('draw', 'pass')]
    """
    if isinstance(record, str):
        games = read_all(record)
        if not games:
            raise BadInput("expected the record of a game, got an empty text")
        record = games[0]
    return coach.review(record, seat, budget, opponent=opponent)


@lru_cache(maxsize=16)
def _adviser(rules: Rules, rollouts: int) -> Searcher:
    from ginrummy.players.champion import ADVICE, adviser  # opens networks: needed for advice alone

    return adviser(rules, settings=replace(ADVICE, rollouts=rollouts))


@lru_cache(maxsize=16)
def _estimator(spec: str) -> Estimator:
    """An estimator by name, made once because a network takes long to load."""
    return make_estimator(spec)


@dataclass(frozen=True, repr=False)
class MatchResult:
    """The result of a match: the fields of ``ginrummy match --json``. ``a`` is the first player."""

    player_a: str
    player_b: str
    rules: str
    seed: int
    games: int
    wins_a: int
    drawn_games: int
    win_rate_a: float
    """Drawn games count half."""
    wilson90_a: tuple[float, float]
    """Wilson's 90 % interval of the win rate, with every game counted as independent."""
    pair_ci95_a: tuple[float, float]
    """95 % interval of the win rate, clustered by mirrored pair of games."""
    mean_margin_a: float
    """Final totals of ``a`` minus those of ``b``, mean over games."""
    median_margin_a: float
    share_won_by_100_a: float
    """Share of all games that ``a`` won by 100 points or more."""
    rounds: int
    rounds_per_game: float
    turns_per_round: float
    gin_rate: float
    """Share of all rounds, like the next three rates."""
    knock_rate: float
    undercut_rate: float
    dead_rate: float
    points_per_round_a: float
    points_per_round_b: float
    capped_rounds: int
    """Rounds ended by the cap on turns."""
    decision_ms_mean_a: float
    decision_ms_mean_b: float
    seconds: float
    provenance: dict[str, Any]
    """Version, code, machine and time."""
    forfeits_a: int | None = None
    """Games that ``a`` forfeited, if a Java player took part: others cannot forfeit here."""
    forfeits_b: int | None = None
    forfeit_reasons_a: dict[str, int] | None = None
    """Reason -> games."""
    forfeit_reasons_b: dict[str, int] | None = None

    def __repr__(self) -> str:
        low, high = self.pair_ci95_a
        return (
            f"<MatchResult {self.player_a} against {self.player_b}, {self.games} games by {self.rules}: "
            f"{self.player_a} wins {100 * self.win_rate_a:.1f} % [{100 * low:.1f}, {100 * high:.1f}]>"
        )

    def as_dict(self) -> dict[str, Any]:
        """The fields as ``ginrummy match --json`` prints them."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
            if value is not None
        }


def play_match(
    first: str | Player, second: str | Player, games: int = 1000, seed: int = 1, rules: str | Rules = "eaai"
) -> MatchResult:
    """Play two players against each other in mirrored pairs of games; an odd number is rounded up.

    Players are given by name, as ``"simple"`` or ``"py:mine.py@make"``, or as ``Player`` values.

    Examples:
        >>> result = play_match("simple", "random", games=20)
        >>> result.games, result.win_rate_a > 0.5
        (20, True)
    """
    start, played = perf_counter(), _rules(rules)
    a, b = (make_player(player) if isinstance(player, str) else player for player in (first, second))
    total, size = tournament.even(games), 2 * max(1, min(a.shard, b.shard) // 2)
    shards = []
    for k in range(0, total, size):
        run = play(a, b, range(k, min(k + size, total)), played, seed)
        shards.append(tournament.count_games(run, played))
        if a.sit or b.sit:
            shards[-1] |= tournament.count_reasons(run)
    found = tournament.summary(tournament.add_counts(shards))
    intervals = {key: tuple(found[key]) for key in ("wilson90_a", "pair_ci95_a")}
    return MatchResult(
        player_a=first if isinstance(first, str) else first.name,
        player_b=second if isinstance(second, str) else second.name,
        rules=rules_text(played),
        seed=seed,
        **(found | intervals),
        seconds=perf_counter() - start,
        provenance=provenance(),
    )


def _rules(rules: str | Rules) -> Rules:
    return parse_rules(rules) if isinstance(rules, str) else check_rules(rules)
