"""What every registered player must be: legal, seeded, the same in any batch, and blind to hidden cards."""

import numpy as np
import pytest

from ginrummy import decks, sim
from ginrummy.errors import UnknownName
from ginrummy.players.base import one_by_one
from ginrummy.players.playing import play
from ginrummy.players.registry import describe, make_player, player_names
from ginrummy.rules import EAAI, PRESETS
from ginrummy.view import DISCARD, DRAWN, PASSED, SELF, UPCARD, WHO
from scripted import watched

NAMES = player_names()
SPECS = [*NAMES, "champion:level=default,rollouts=60,hands=40"]
"""What is played: every player, and those that search with a small budget."""
GAMES = 12


class Enough(Exception):
    """The round has come as far as two worlds can agree."""


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", SPECS)
def test_it_plays_legally_under_every_preset(name: str, preset: str) -> None:
    rules = PRESETS[preset]._replace(max_rounds=4)
    for other in ("simple", "random"):
        run = sim.play(make_player(name), make_player(other), range(GAMES), rules, 1)
        assert run.games["outcomes"].sum() >= GAMES
        if make_player(name).compiled:
            assert (
                play(make_player(name), make_player(other), range(GAMES), rules, 1).games == run.games
            ).all()


@pytest.mark.parametrize("name", SPECS)
def test_it_is_seeded_and_the_same_in_batches_of_1_and_64(name: str) -> None:
    rules = EAAI._replace(max_rounds=4)
    player, simple = make_player(name), make_player("simple")
    games = sim.play(player, simple, range(64), rules, 3, batch=64).games
    assert (sim.play(make_player(name), simple, range(64), rules, 3, batch=64).games == games).all()
    assert (sim.play(player, simple, range(GAMES), rules, 3, batch=1).games == games[:GAMES]).all()
    if player.compiled:
        assert (play(player, simple, range(64), rules, 3).games == games).all()


def answers_in_world(name: str, kept: np.void, deck: np.ndarray, last: int) -> list[tuple]:
    """What a player is shown and answers at a table with this deck, up to event ``last`` of its log.

    The opponent repeats its part of the record.
    """
    seen: list[tuple] = []

    def note(what, row, sight, u, answer):
        seen.append((what, sight, answer))
        if sight.events >= last:
            raise Enough

    log = kept["log"][1]
    opponent = one_by_one(
        "recorded",
        draw=lambda s, u: log[s.events, DRAWN] == log[s.events, UPCARD],
        discard=lambda s, u: int(log[s.events, DISCARD]),
        knock=lambda s, u: False,
        spread=lambda s, u: (),
    )
    with pytest.raises(Enough):
        sim.play_rounds(
            watched(make_player(name), note), opponent, deck[None], np.array([kept["starter"]]), EAAI
        )
    return seen


def hidden_places(kept: np.void, last: int) -> list[int]:
    """Places of the deck whose cards side 0 (in seat 0) has not seen before event ``last``."""
    shown = {int(kept["deck"][20])}
    drawn = 0
    for mine, theirs in zip(kept["log"][0][:last], kept["log"][1][:last], strict=True):
        shown |= {int(mine[DISCARD]), int(mine[UPCARD])}
        if mine[WHO] == SELF:
            shown.add(int(mine[DRAWN]))
        drawn += int(theirs[DRAWN] != PASSED and theirs[DRAWN] != theirs[UPCARD])
    places = list(range(10, 20)) + list(range(21, 52))
    # The card that side 0 draws from the stock at event ``last`` is seen as well: leave the next one alone.
    return [k for k in places if int(kept["deck"][k]) not in shown and k != 21 + drawn]


@pytest.mark.parametrize("name", SPECS)
def test_it_is_unmoved_when_hidden_cards_are_swapped(name: str) -> None:
    """Shuffle all cards that the view leaves open, at many points of many rounds: same sights, same answers."""
    rng = np.random.default_rng(7)
    player, simple = make_player(name), make_player("simple")
    worlds = 0
    for game in range(12):
        deck, starter = np.array([decks.deck(5, 2 * game, 0)], np.int8), np.array([game % 2])
        kept = sim.play_rounds(player, simple, deck, starter, EAAI).rounds[0]
        own = [k for k in range(kept["events"]) if kept["log"][0][k, WHO] == SELF]
        for last in own[:: max(1, len(own) // 3)]:
            before = answers_in_world(name, kept, kept["deck"], last)
            other = kept["deck"].copy()
            places = hidden_places(kept, last)
            other[places] = rng.permutation(other[places])
            assert answers_in_world(name, kept, other, last) == before
            worlds += int((other != kept["deck"]).any())
    assert worlds > 20


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_does_and_where_it_comes_from(name: str) -> None:
    entry = describe(name)
    assert entry.summary.endswith(".")
    assert entry.source
    assert make_player(name).name == name


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nobody", "unknown player 'nobody': choose one of random, simple, knocking"),
        ("simple:alpha=3", "player simple has no parameter 'alpha=3': its parameters are hitting, knock_at"),
        ("random:alpha=3", "player random has no parameter 'alpha=3': its parameters are none"),
        ("simple:hitting=2", "hitting is a probability from 0 to 1"),
        ("simple:knock_at=101", "knock_at is from 0 to 100"),
        ("hand-strength:alpha=nan", "player hand-strength: alpha takes a finite number, not 'nan'"),
        ("hitting:threshold=nan", "player hitting: threshold takes a number or inf, not 'nan'"),
        ("knocking:knock=2", "knock is a chance from 0 to 1"),
        ("knocking:knock_model=none.onnx", "no trained file 'none.onnx'"),
        ("hitting:value=gold", "value is one of hits, types, network"),
        ("medium-kh:belief=draw,value=network", "belief=draw weighs hits"),
        ("medium-kh:belief=some", "belief is one of none, draw, knock, both"),
        ("estimating:estimator=nobody", "unknown estimator 'nobody'"),
        ("estimating:estimator=omniscient", "unknown estimator 'omniscient'"),
        ("py:nothing", "expected py:module@factory"),
        ("py:no.such.module@make", "cannot load player"),
        ("py:json@dumps", "cannot load player"),
        ("py:os@getcwd", "not a Player"),
    ],
)
def test_wrong_words_are_answered_with_what_is_possible(spec: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message.replace("(", r"\(")):
        make_player(spec)


def test_a_player_from_a_file_of_twenty_lines(tmp_path) -> None:
    (tmp_path / "mine.py").write_text(
        "from ginrummy.cards import cards_of\n"
        "from ginrummy.melds import best_meld_sets, deadwood\n"
        "from ginrummy.players.base import one_by_one\n"
        "def make():\n"
        "    return one_by_one(\n"
        "        'mine',\n"
        "        draw=lambda seen, u: False,\n"
        "        discard=lambda seen, u: min(cards_of(seen.allowed), key=lambda c: deadwood(seen.hand & ~(1 << c))),\n"
        "        knock=lambda seen, u: True,\n"
        "        spread=lambda seen, u: (best_meld_sets(seen.hand) or [()])[0],\n"
        "    )\n"
    )
    player = make_player(f"py:{tmp_path / 'mine.py'}@make")
    games = sim.play(player, make_player("random"), range(20), EAAI, 1).games
    assert (games["score"][:, 0] > games["score"][:, 1]).all()
