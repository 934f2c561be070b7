"""What ``import ginrummy`` gives: quick to load, typed, readable."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ginrummy
import naive
from ginrummy import api, cards, cardset, game, round
from ginrummy.cardset import CardSet
from ginrummy.estimators.registry import make_estimator
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.view import from_sights
from hands import rich_hands

ROOT = Path(__file__).parent.parent
CARDS = st.frozensets(st.integers(0, 51))


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


# --- the module --------------------------------------------------------------------------------------------


def test_import_alone_loads_nothing_heavy() -> None:
    code = "import sys, ginrummy; print([m for m in ('numba', 'numpy', 'typer', 'rich') if m in sys.modules])"
    assert python(code).strip() == "[]"


def test_every_public_name_is_there_and_nowhere_else_by_that_name() -> None:
    assert sorted(set(ginrummy.__all__)) == sorted(ginrummy.__all__)
    assert set(ginrummy.__all__) == set(ginrummy._HOME)
    for name in ginrummy.__all__:
        home = importlib.import_module(f"ginrummy.{ginrummy._HOME[name]}")
        assert getattr(ginrummy, name) is getattr(home, name)
        assert name in dir(ginrummy)
        with pytest.raises(ModuleNotFoundError):  # a module of that name would hide the public thing
            importlib.import_module(f"ginrummy.{name}")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ginrummy.nothing  # noqa: B018


def test_a_star_import_gives_the_public_names() -> None:
    names = python("from ginrummy import *; print(sorted(n for n in dir() if n[0] != '_'))")
    assert eval(names) == sorted(ginrummy.__all__)


def test_public_things_have_docstrings() -> None:
    things = [getattr(ginrummy, name) for name in ginrummy.__all__]
    assert [t for t in things if inspect.isroutine(t) or inspect.isclass(t) if not t.__doc__] == []


def test_types_reach_the_user(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(
        "import ginrummy\n"
        "held: ginrummy.CardSet = ginrummy.hand('AC 2C 3C')\n"
        "points: int = ginrummy.deadwood(held)\n"
        "rate: float = ginrummy.play_match('simple', 'random').win_rate_a\n"
        "reveal_type(ginrummy.deal().undo())\n"
        "ginrummy.no_such_name\n"
    )
    assert (Path(ginrummy.__file__).parent / "py.typed").exists()
    call = [sys.executable, "-m", "mypy", str(tmp_path / "user.py")]
    env = os.environ | {"MYPYPATH": str(Path(ginrummy.__file__).parent.parent)}
    # From the project's root: its settings, and what `make lint` has checked already.
    found = subprocess.run(call, capture_output=True, text=True, cwd=ROOT, env=env).stdout
    assert "ginrummy.round_actions.Take" in found
    assert found.count("error:") == 1 and '"no_such_name"' in found, found


@pytest.mark.parametrize("module", [api, cardset, game, round], ids=lambda module: module.__name__)
def test_examples_of_docstrings_run(module: object) -> None:
    done = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert done.attempted >= 2 and done.failed == 0


# --- sets of cards -----------------------------------------------------------------------------------------


@given(CARDS, CARDS)
def test_card_sets_are_sets(one: frozenset[int], two: frozenset[int]) -> None:
    a, b = CardSet(one), CardSet(two)
    assert a == one and len(a) == len(one) and set(a) == one and hash(a) == hash(CardSet(int(a)))
    assert (a | b, a & b, a - b, a ^ b) == (one | two, one & two, one - two, one ^ two)
    assert (a <= b, a < b, a.isdisjoint(b)) == (one <= two, one < two, one.isdisjoint(two))
    assert all(isinstance(c, CardSet) for c in (a | b, a & b, a - b, a ^ b))
    assert int(a | b) == int(a) | int(b) == cards.mask_of(one | two)


@given(CARDS)
def test_card_sets_are_read_back_from_whatever_they_give(held: frozenset[int]) -> None:
    a = CardSet(held)
    assert a == CardSet(str(a)) == CardSet(int(a)) == CardSet(np.int64(int(a))) == CardSet(a.texts())
    assert eval(repr(a)) == a == pickle.loads(pickle.dumps(a))
    assert all(c in a and np.int8(c) in a and cards.card_text(c) in a for c in held)
    assert sum(c in a for c in range(-3, 60)) == len(held)


def test_card_sets_never_change_and_refuse_what_is_no_card() -> None:
    a = ginrummy.hand("AC, 10♦ 2c")
    assert repr(a) == "CardSet('AC 2C TD')" and None not in a and 1.0 not in a
    with pytest.raises(AttributeError, match="never changes"):
        a.mask = 0  # type: ignore[misc, assignment]
    for wrong in ("AC AC", "1X", -1, 1 << 52, [0, 0], [0, "AC"], [52], [-1], [0.5], 0.5, None):
        with pytest.raises(ginrummy.GinRummyError, match=r"expected|twice"):
            CardSet(wrong)  # type: ignore[arg-type]
    with pytest.raises(ginrummy.ParseError):
        "1X" in a  # noqa: B015


def test_deadwood_and_melds_agree_with_the_slow_twin() -> None:
    for held in rich_hands(10, 60, 3):
        assert ginrummy.deadwood(held) == naive.deadwood(held)
        ours = {frozenset(frozenset(meld) for meld in laid) for laid in ginrummy.best_melds(held)}
        theirs = {frozenset(frozenset(meld) for meld in laid) for laid in naive.best_meld_sets(held) or [()]}
        assert ours == theirs


def test_deadwood_and_melds_take_text_and_refuse_too_many_cards() -> None:
    assert ginrummy.deadwood("KD QD AC") == 21 and ginrummy.best_melds("KD QD AC") == [()]
    assert ginrummy.deadwood(ginrummy.hand("KD QD JD")) == ginrummy.deadwood("") == 0
    for function in (ginrummy.deadwood, ginrummy.best_melds):
        with pytest.raises(ginrummy.BadInput, match="at most 14 cards, got 15"):
            function(range(15))


# --- rounds, matches, estimates ----------------------------------------------------------------------------


def test_a_deal_is_that_of_a_match() -> None:
    table = ginrummy.deal(3, "uk", game=4, round_=2)
    assert table.deck == tuple(ginrummy.deck(3, 4, 2)) and table.rules == ginrummy.PRESETS["uk"]
    for wrong in ({"seed": -1}, {"seed": 2**63}, {"game": -1}, {"round_": -1}, {"rules": "bridge"}):
        with pytest.raises(ginrummy.GinRummyError):
            ginrummy.deal(**wrong)  # type: ignore[arg-type]


def test_a_match_has_the_numbers_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ginrummy import tournament

    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    rules = ginrummy.parse_rules("uk")
    theirs = tournament.match("simple", "random", tournament.Plan(11, 5, rules))
    ours = ginrummy.play_match("simple", "random", games=11, seed=5, rules="uk")
    assert list(ours.as_dict()) == list(theirs)
    measured = {"seconds", "decision_ms_mean_a", "decision_ms_mean_b", "provenance"}
    assert {k: v for k, v in ours.as_dict().items() if k not in measured} == {
        k: v for k, v in theirs.items() if k not in measured
    }
    json.dumps(ours.as_dict())
    assert repr(ours).startswith("<MatchResult simple against random, 12 games by uk: simple wins ")


def test_a_match_takes_players_and_does_not_depend_on_pieces() -> None:
    simple, random = make_player("simple"), make_player("random")
    slow = Player("mine", simple.draw, simple.discard, simple.knock, simple.spread, shard=4)
    ours, same = ginrummy.play_match(slow, random, 10), ginrummy.play_match("simple", "random", 10)
    assert (ours.player_a, ours.player_b) == ("mine", "random")
    assert (ours.wins_a, ours.rounds, ours.mean_margin_a) == (same.wins_a, same.rounds, same.mean_margin_a)
    for wrong in ({"games": 0}, {"seed": -1}, {"rules": "bridge"}, {"second": "nobody"}):
        with pytest.raises(ValueError, match=r"must be|unknown|seed"):
            ginrummy.play_match(**({"first": "simple", "second": "random"} | wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", ["null", "bayes", "belief-net"])
def test_an_estimate_is_what_players_use(spec: str) -> None:
    table = ginrummy.deal(seed=2)
    for action in (ginrummy.Pass(), ginrummy.Take()):
        table.apply(action)
    table.apply(ginrummy.Discard(next(iter(CardSet(table.allowed(table.mover))))))
    seen = table.sight(table.mover)
    view = from_sights([seen, seen])
    chances = ginrummy.estimate(spec, seen)
    assert chances.shape == (52,) and chances.sum() == pytest.approx(10, abs=1e-4)
    assert chances[list(CardSet(seen.hand | seen.pile))].max() == 0
    assert chances[list(CardSet(seen.opponent))].min() == 1
    both = ginrummy.estimate(make_estimator(spec), view)
    assert both.shape == (2, 52) and np.array_equal(both[1], chances)
    assert ginrummy.estimate(spec, view, np.array([1])).shape == (1, 52)
