"""OpenSpiel's bots as our players: ``openspiel:bot=ismcts,simulations=100``, or any bot from Python.

    from ginrummy.bridges.openspiel.players import player

    mine = player("mine", lambda player_id, seed: MyBot(player_id, seed))

A bot is asked about a state of OpenSpiel's game. The state is made from what the player may see: cards that
it cannot know are a guess that fits, so no bot sees more than our own players do. Each turn is played by a
fresh bot whose seed is a function of what is seen and of the player's own seed. So answers do not depend on
batches, and nothing has to be remembered. The defence is not asked for: the rules ``openspiel`` choose it.
"""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from ginrummy.bridges.openspiel.codes import DRAW, FIRST_MELD, KNOCK, MELDS, OURS, PASS, TAKE
from ginrummy.bridges.openspiel.histories import write_actions
from ginrummy.bridges.turns import before_discard
from ginrummy.cards import CARDS, NO_CARD, Mask, cards_of, mask_of
from ginrummy.errors import BadInput, PlayerError
from ginrummy.extras import needed
from ginrummy.melds import best_meld_sets
from ginrummy.notation import RoundRecord, Turn
from ginrummy.notation.hidden import guessed_deck
from ginrummy.players.base import Player, one_by_one
from ginrummy.rules import HAND_SIZE
from ginrummy.specs import Registry, named
from ginrummy.view import HIDDEN, PASSED, WALL_OFFER, Event, Sight

with needed("openspiel", "ginrummy.bridges.openspiel.players"):
    import pyspiel

MakeBot = Callable[[int, int], Any]
"""(player id, seed) -> a ``pyspiel.Bot``."""
ATTEMPTS = 60
"""Guesses of the hidden cards before a position is given up."""
_STOCK = CARDS - 2 * HAND_SIZE - 1


class Plan(NamedTuple):
    """What a bot does with a turn."""

    takes: bool
    card: int = NO_CARD
    knocks: bool = False
    melds: tuple[Mask, ...] = ()


def load(spec: str) -> Player:
    """The player that ``openspiel:bot=…`` names."""
    return _PLAYERS.make(spec)


def openspiel(bot: str = "ismcts", simulations: int = 100, uct: float = 20.0, seed: int = 1) -> Player:
    """A bot of OpenSpiel, under the rules openspiel.

    Source: OpenSpiel, its bots for gin_rummy: IS-MCTS with random rollouts, its simple bot, its random bot.
    Differs: the library's IS-MCTS is not reproducible: equal seeds and states give different answers.
    """
    if simulations < 1:
        raise BadInput(f"simulations is at least 1, not {simulations}")
    given: dict[str, object] = {"bot": bot}
    if bot == "ismcts":
        given |= {"simulations": simulations} | ({"uct": uct} if uct != 20.0 else {})
    given |= {"seed": seed} if seed != 1 else {}
    return player(named("openspiel", given), bot_maker(bot, simulations, uct), seed)


def bot_maker(bot: str, simulations: int = 100, uct: float = 20.0) -> MakeBot:
    """What makes the bots of a name."""
    if bot not in _BOTS:
        raise BadInput(f"bot is one of {', '.join(_BOTS)}, not {bot!r}")
    return _BOTS[bot](simulations, uct)


def _ismcts(simulations: int, uct: float) -> MakeBot:
    def make(player_id: int, seed: int) -> Any:
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        kind = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        return pyspiel.ISMCTSBot(seed, evaluator, uct, simulations, -1, kind, True, True)

    return make


def simple_bot(player_id: int) -> Any:
    """OpenSpiel's own player of simple rules, at its full game."""
    return pyspiel.make_simple_gin_rummy_bot(pyspiel.load_game("gin_rummy").get_parameters(), player_id)


_BOTS: dict[str, Callable[[int, float], MakeBot]] = {
    "ismcts": _ismcts,
    "simple": lambda *_: lambda player_id, seed: simple_bot(player_id),
    "random": lambda *_: lambda player_id, seed: pyspiel.make_uniform_random_bot(player_id, seed),
}
_PLAYERS: Registry[Player] = Registry("player", {"openspiel": "ginrummy.bridges.openspiel.players:openspiel"})


def player(name: str, make_bot: MakeBot, seed: int = 1) -> Player:
    """Any bot of OpenSpiel as a player."""

    def build() -> Player:
        @lru_cache(maxsize=4096)
        def plan(seen: Sight) -> Plan:
            return _plan(seen, make_bot, seed)

        def discard(seen: Sight, u: float) -> int:
            card = plan(_turn(seen)).card
            if not seen.allowed >> card & 1:
                raise PlayerError(f"player {name!r} plays by the rules openspiel: choose --rules openspiel")
            return card

        def spread(seen: Sight, u: float) -> tuple[int, ...]:
            if any(seen.knocked):
                return (best_meld_sets(seen.hand) or [()])[0]
            return plan(_turn(seen)).melds

        made = one_by_one(
            name,
            draw=lambda seen, u: plan(seen).takes,
            discard=discard,
            knock=lambda seen, u: plan(_turn(seen)).knocks,
            spread=spread,
        )
        return replace(made, shard=20, fresh=build, remembers=False)

    return build()


def _turn(seen: Sight) -> Sight:
    """What was seen when this turn's questions began: before the discard, at the wall before the draw."""
    seen = before_discard(seen)
    if seen.offer != WALL_OFFER or seen.hand.bit_count() == HAND_SIZE:
        return seen
    bit = 1 << seen.drawn
    drawn = [event.drawn for event in seen.log if event.mine and event.drawn != PASSED]
    return seen._replace(
        hand=Mask(seen.hand & ~bit),
        allowed=Mask(0),
        pile=Mask(seen.pile | bit),
        top=seen.drawn,
        drawn=drawn[-1] if drawn else NO_CARD,
        turns=seen.turns - 1,
        own_turns=seen.own_turns - 1,
    )


def _plan(seen: Sight, make_bot: MakeBot, seed: int) -> Plan:
    """Let a fresh bot play from here to the end of the questions of this kind."""
    chance = _chance(seen, seed)
    state = _state(seen, chance)
    player_id = state.current_player()
    bot = make_bot(player_id, chance % 2**31)

    def step() -> int:
        action = int(bot.step(state))
        state.apply_action_with_legality_check(action)
        return action

    action = step()
    if action in (TAKE, DRAW, PASS):
        return Plan(takes=action == TAKE)
    if action != KNOCK:
        return Plan(takes=False, card=OURS[action])
    card = OURS[step()]
    melds: list[Mask] = []
    while (action := step()) != PASS:
        melds.append(MELDS[action - FIRST_MELD])
    return Plan(True, card, True, tuple(melds))


def _chance(seen: Sight, seed: int) -> int:
    words = hashlib.blake2b(repr((seed, *seen)).encode(), digest_size=8)
    return int.from_bytes(words.digest(), "big") >> 1


def _state(seen: Sight, chance: int) -> Any:
    """A state of OpenSpiel in which this side sees what it sees; hidden cards are guessed by ``chance``."""
    record = _record(seen)
    first = 1 + chance % 10**6
    for attempt in (*range(first, first + ATTEMPTS), 0):
        deck = guessed_deck(record, attempt)
        stock = tuple(deck[2 * HAND_SIZE + 1 :])
        hands = mask_of(deck[:HAND_SIZE]), mask_of(deck[HAND_SIZE : 2 * HAND_SIZE])
        actions = write_actions(replace(record, hands=hands, stock=stock))
        state = pyspiel.load_game("gin_rummy").new_initial_state()
        try:
            for action in actions:
                state.apply_action_with_legality_check(action)
        except pyspiel.SpielError:
            continue
        return state
    raise BadInput(f"no state of OpenSpiel fits: it saw {seen}")


def _record(seen: Sight) -> RoundRecord:
    """What this side could have written down; seat 0 started the round."""
    me = 0 if seen.starts else 1
    log = list(seen.log)
    if seen.hand.bit_count() > HAND_SIZE:
        log.append(Event(True, seen.drawn if seen.top == NO_CARD else seen.top, seen.drawn, NO_CARD))
    hand = set(cards_of(seen.hand))
    for event in reversed(log):
        if event.mine and event.drawn != PASSED:
            hand |= {event.discard} - {NO_CARD}
            hand.discard(event.drawn)
    hands = (mask_of(hand), Mask(0)) if me == 0 else (Mask(0), mask_of(hand))
    stock, turns = [], []
    for event in log:
        seat = me if event.mine else 1 - me
        if event.drawn == PASSED:
            turns.append(Turn(seat, "passes"))
        elif event.took:
            turns.append(Turn(seat, "takes", event.upcard, event.discard))
        else:
            card = NO_CARD if event.drawn == HIDDEN else event.drawn
            stock.append(card)
            turns.append(Turn(seat, "draws", card, event.discard))
    upcard = log[0].upcard if log else seen.top
    full = (*stock, *[NO_CARD] * (_STOCK - len(stock)))
    return RoundRecord(1, 0, (0, 0), (0, 0), hands, upcard, full, tuple(turns))
