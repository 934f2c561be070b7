"""RLCard's encoding, compared with RLCard itself, and its agents as players."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest

from ginrummy import sim
from ginrummy.bridges import rlcard as bridge
from ginrummy.cards import NO_CARD, Mask, card_text, cards_of, mask_of
from ginrummy.errors import BadInput
from ginrummy.melds import deadwood
from ginrummy.players.registry import make_player
from ginrummy.round import Discard, Draw, Pass, Round
from ginrummy.rules import EAAI
from ginrummy.view import NORMAL, Sight


def library() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("rlcard", reason="the extra rlcard is not installed")


def sight_of(game: Any) -> Sight:
    """What the player to move of RLCard's game sees, as our value."""
    from rlcard.games.gin_rummy.utils import utils
    from rlcard.games.gin_rummy.utils.action_event import PickUpDiscardAction

    def mask(cards: Any) -> Mask:
        return mask_of(bridge.OURS[utils.get_card_id(card)] for card in cards)

    me = game.round.get_current_player()
    other = game.round.players[1 - me.player_id]
    pile = game.round.dealer.discard_pile
    last = game.get_last_action()
    picked = game.round.move_sheet[-1].card if isinstance(last, PickUpDiscardAction) else None
    hand = mask(me.hand)
    top = mask(pile[-1:])
    allowed = (
        hand & ~mask([picked]) if picked and not game.settings.is_allowed_to_discard_picked_up_card else hand
    )
    return Sight(
        hand=hand, allowed=Mask(allowed), opponent=mask(other.known_cards), pile=mask(pile),
        top=cards_of(top)[0] if top else NO_CARD, drawn=NO_CARD, stock=len(game.round.dealer.stock_pile),
        offer=NORMAL, events=0, turns=0, own_turns=0, limit=10, score=0, opponent_score=0, round=0,
        starts=True, knocked=(), log=(),
    )  # fmt: skip


def test_cards_have_its_numbers() -> None:
    library()
    from rlcard.games.gin_rummy.utils import utils

    assert [str(utils.get_card(bridge.THEIRS[card])) for card in range(52)] == [
        card_text(c) for c in range(52)
    ]


def test_every_state_of_its_games_is_encoded_the_same() -> None:
    """Observations and legal actions in whole games, with play that reaches knocks and gin."""
    rlcard = library()
    seen: Counter[str] = Counter()
    chance = random.Random(4)
    for seed in range(12):
        env = rlcard.make("gin-rummy", config={"seed": seed})
        state, _ = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            if legal[0] < 2 or legal == [bridge.DEAD_HAND]:
                break  # the round is over: only its score is left
            ours = sight_of(env.game)
            assert (bridge.observation(ours) == state["obs"]).all()
            if bridge.DEAD_HAND not in legal:
                assert sorted(bridge.legal_actions(ours)) == sorted(legal)
            action = chosen(ours, legal, chance)
            said = bridge.choice(action, ours)
            if action >= bridge.FIRST_DISCARD:
                assert bridge.action_number(said.card, said.knocks) == action
            seen["gin" if action == bridge.GIN else "knock" if said.knocks else "other"] += 1
            seen["could knock"] += any(number >= bridge.FIRST_KNOCK for number in legal)
            state, _ = env.step(action)
    assert min(seen["could knock"], seen["knock"] + seen["gin"]) > 0
    assert seen["other"] > 300


def chosen(seen: Sight, legal: list[int], chance: random.Random) -> int:
    """Mostly the discard that leaves least deadwood, and seldom a knock, so that hands get good."""
    cards = [number for number in legal if bridge.FIRST_DISCARD <= number < bridge.FIRST_KNOCK]
    if not cards or chance.random() < 0.1:
        return chance.choice(legal)
    return min(cards, key=lambda number: deadwood(seen.hand & ~(1 << bridge.choice(number, seen).card)))


def test_its_random_agent_plays_here() -> None:
    library()
    from rlcard.agents import RandomAgent

    agent = RandomAgent(num_actions=bridge.ACTIONS)
    run = sim.play(
        bridge.player("theirs", agent), make_player("simple"), range(4), EAAI._replace(max_rounds=3), 1
    )
    assert run.games["outcomes"].sum() > 4


class Careful:
    """An agent in RLCard's manner that keeps least deadwood and knocks at once."""

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        legal = list(state["legal_actions"])
        hand = mask_of(bridge.OURS[card] for card in np.flatnonzero(state["obs"][0]))
        if legal == [bridge.GIN] or bridge.DRAW in legal:
            return legal[0], {}

        def left(number: int) -> tuple[int, bool]:
            card = bridge.OURS[(number - bridge.FIRST_DISCARD) % 52]
            return deadwood(hand & ~(1 << card)), number < bridge.FIRST_KNOCK

        return min(legal, key=left), {}


def test_an_agent_that_knocks_beats_random() -> None:
    """Nothing of RLCard is needed to play its agents."""
    run = sim.play(bridge.player("careful", Careful()), make_player("random"), range(12), EAAI, 1)
    assert (run.games["score"][:, 0] > run.games["score"][:, 1]).all()


def test_the_encoding_of_a_round_of_ours() -> None:
    deck = list(range(52))
    table = Round.deal(deck, 0, EAAI)
    seen = table.sight(0)
    planes = bridge.observation(seen)
    assert planes.sum(axis=1).tolist() == [10, 1, 0, 0, 41]
    assert planes.sum(axis=0).tolist() == [1] * 52
    assert bridge.legal_actions(seen) == [bridge.DRAW, bridge.PICK_UP]
    for action in (Pass(), Pass(), Draw()):
        table.apply(action)
    assert bridge.legal_actions(table.sight(0)) == [bridge.GIN]
    assert bridge.choice(bridge.GIN, table.sight(0)).knocks
    table.apply(Discard(21))
    assert bridge.observation(table.sight(1)).sum(axis=1).tolist() == [10, 1, 1, 0, 40]
    with pytest.raises(BadInput, match="expected an action from 2 to 109, got 110"):
        bridge.choice(110, seen)
