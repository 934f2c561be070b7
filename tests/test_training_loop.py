"""The next steps of paper S0: networks trained on the play they led to, and a knock network with a belief."""

import json
from pathlib import Path

import numpy as np
import pytest

from ginrummy import artefacts, networks
from ginrummy.estimators.registry import make_estimator
from ginrummy.moments import in_order, views
from ginrummy.players.baseline import draw_hitting, simple
from ginrummy.players.registry import make_player
from ginrummy.policies.knock_features import FEATURES, MELDS_HELD, POINTS_HELD
from ginrummy.rules import EAAI
from ginrummy.sim import play
from ginrummy.training import play_data, recipes
from ginrummy.training.nets import knock, knock_belief, loop

LOOPS = [f"{name}-loop-{number}" for name in ("knock", "card-value") for number in range(1, loop.ROUNDS + 1)]


# What is learned from


def test_every_round_plays_with_the_network_before() -> None:
    assert [loop.knock_model(r) for r in range(3)] == ["knock.onnx", "knock-loop-1.onnx", "knock-loop-2.onnx"]
    for number in range(1, loop.ROUNDS + 1):
        specs = loop.knock_specs(number)
        assert len(set(specs)) == len(loop.THRESHOLDS)
        assert all(spec.endswith(f"knock_model={loop.knock_model(number - 1)}") for spec in specs)
        assert loop.value_spec(number).endswith(f"value_model={loop.value_model(number - 1)}")
        for name in (f"knock-loop-{number}", f"card-value-loop-{number}"):
            assert recipes.recipe(name).artefact == f"{name}.onnx"


def test_players_of_a_round_differ_in_when_they_knock() -> None:
    eager, patient = (make_player(loop.knock_specs(1)[k]) for k in (0, -1))
    rows = play_data.rows_of(eager, patient, range(40), EAAI, 1)
    own = [rows[rows["side"] == side] for side in (0, 1)]
    assert (own[0]["knocked"] == own[0]["could_knock"]).all()
    assert own[1]["knocked"].sum() < own[1]["could_knock"].sum()


def test_an_explorer_takes_what_the_player_takes_and_some_that_hit() -> None:
    player = simple()
    explorer = loop.exploring(player, 0.5)
    assert explorer.name == "simple +hitting=0.5"
    seen = views(in_order(play(player, player, range(10), EAAI, 3, record=True).rounds), 0, EAAI)
    rows = np.flatnonzero(seen.view["top"] >= 0)
    u = np.random.default_rng(1).random(len(rows))
    plain, hitting, both = (
        draw(seen.view, rows, u) for draw in (player.draw, draw_hitting(0.5), explorer.draw)
    )
    assert (both == (plain | hitting)).all()
    assert plain.sum() < both.sum()
    never = loop.exploring(player, 0.0).draw(seen.view, rows, u)
    assert (never == plain).all()


def test_knocks_are_seen_as_they_are_recorded() -> None:
    first, second = simple(knock_at=4), simple()
    knocks, x = knock_belief.knocks_of(first, second, range(60), 5)
    rows = play_data.rows_of(first, second, range(60), EAAI, 5)
    assert (knocks == rows[rows["knocked"]]).all()
    assert set(knocks["side"]) == {0, 1}
    plain = knock.readings(rows)[knock.KNOCKS]
    assert (x[:, :FEATURES] == plain.x).all()
    assert (plain.y[:, 0] == (knocks["points"] > 0)).all()
    assert x[:, POINTS_HELD].min() > 10
    assert x[:, MELDS_HELD].min() >= 0
    # The belief knows something: it is nearer to the truth than its own mean.
    points = np.minimum(np.arange(52) % 13 + 1, 10)
    truth = (knocks["opponent_hand"][:, None] >> np.arange(52) & 1) @ points
    assert np.corrcoef(x[:, POINTS_HELD], truth)[0, 1] > 0.3


def test_a_belief_at_a_knock_is_the_estimators() -> None:
    seen: list[tuple[float, float]] = []
    believe = make_estimator(knock_belief.ESTIMATOR).masked
    points = np.minimum(np.arange(52) % 13 + 1, 10)

    class Spy(knock_belief.Watched):
        def _watch(self, view, rows, u):
            answers = super()._watch(view, rows, u)
            made = rows[answers]
            if len(made):
                beliefs = believe(view, made)
                assert np.allclose(beliefs.sum(axis=1), 10, atol=1e-4)
                seen.extend(zip(self._inputs[-1][:, POINTS_HELD], beliefs @ points, strict=True))
            return answers

    spy = Spy(simple())
    play(spy.player, simple(), range(4), EAAI, 2)
    assert len(seen) > 5
    assert all(told == pytest.approx(expected, rel=1e-4) for told, expected in seen)


def test_knocks_of_other_games_are_refused() -> None:
    watched = knock_belief.Watched(simple())
    play(watched.player, simple(), range(4), EAAI, 2)
    rows = play_data.rows_of(simple(), simple(), range(4), EAAI, 3)
    other = rows[rows["knocked"] & (rows["side"] == 0)]
    size = sum(len(part) for part in watched._inputs)
    with pytest.raises(ValueError, match="not those that were recorded"):
        watched.inputs(np.resize(other, size))


# The recipes


@pytest.mark.parametrize("name", [*LOOPS, "knock-belief"])
def test_every_network_is_rebuilt_in_small(name: str, tmp_path: Path) -> None:
    result = recipes.rebuild(name, "smoke", 1, 1, tmp_path)
    recipe = recipes.recipe(name)
    file = tmp_path / recipe.artefact
    inputs = 7 if name == "knock-belief" else 3 if name.startswith("card") else 5
    answers = networks.network(str(file))(np.ones((2, inputs)))
    assert np.isfinite(answers).all()
    assert (answers >= 0).all()
    said = artefacts.record(str(file))
    assert said["recipe"] == f"ginrummy train {name} --scale smoke --seed 1"
    assert said["training"]["history"][-1]["validation"] > 0
    assert said["made_from"]["rows"] > 0
    if name in LOOPS:
        before = said["made_from"]["model"]
        assert before["sha256"] == artefacts.record(before["file"])["sha256"]
    assert json.dumps(result)
    assert str(file) in recipe.text(result)


@pytest.mark.parametrize("name", LOOPS)
def test_a_shipped_network_was_made_with_the_shipped_one_before(name: str) -> None:
    before = artefacts.record(f"{name}.onnx")["made_from"]["model"]
    assert before["sha256"] == artefacts.record(before["file"])["sha256"]
