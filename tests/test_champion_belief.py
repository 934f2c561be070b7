"""The recipe of the joint belief, its record, and the study of whole hands."""

import json

import numpy as np
import pytest

import naive
from ginrummy import artefacts, moments, sim
from ginrummy._jit import kernel
from ginrummy.cards import CARDS, cards_of
from ginrummy.errors import BadInput, UnknownName
from ginrummy.estimators import joint_kernels, types
from ginrummy.estimators.bayes import bayes
from ginrummy.estimators.joint import joint_belief
from ginrummy.estimators.types import MODEL, TYPES, posterior
from ginrummy.judging import hand_study, whole_hands
from ginrummy.judging.shards import Shard
from ginrummy.melds import deadwoods
from ginrummy.players.registry import make_player, player_names
from ginrummy.rules import EAAI
from ginrummy.tournament import Plan
from ginrummy.training.nets import champion_belief
from ginrummy.training.nets.belief_pool import KEPT_OUT, gather, label, opponent, pool
from ginrummy.training.nets.joint_rows import together
from ginrummy.training.play_data import DATA_SEED


def test_the_pool_has_every_player_but_two_families() -> None:
    families = {name.partition("+")[0].partition(":")[0] for name in pool()}
    assert families == set(player_names()) - {name.partition(":")[0] for name in KEPT_OUT}


def test_a_mixture_knocks_by_the_limits_of_its_type() -> None:
    for kind, turn, knocks in (("gin", 1, 0), ("at-once", 1, 10), ("late", 3, 0), ("early", 3, 10)):
        run = sim.play(opponent(f"simple+{kind}"), make_player("simple"), range(6), EAAI, 3, record=True)
        rows = moments.decisions(run.rounds, run.games, EAAI, 0)
        rows = rows[(rows["side"] == 0) & rows["could_knock"] & (rows["own_turn"] >= turn)]
        early = rows[(rows["own_turn"] <= 4) & (rows["deadwood_after"] > 0)]
        assert len(early) > 0
        assert (early["knocked"] == (early["deadwood_after"] <= knocks)).all()
    assert TYPES[label("simple", range(20), 5)] == "at-once"
    assert TYPES[label("hand-strength", range(20), 5)] == "early"


def test_decisions_of_the_pool_are_what_the_watcher_saw() -> None:
    """Half of them are at a discard: eleven cards, of which the one just taken stays."""
    seen = together(gather(("simple:hitting=0.5", "champion:level=fast+late"), range(4), 11, 0.5))
    view = seen.view
    eleven = np.bitwise_count(view["hand"]) == 11
    assert 0.3 < eleven.mean() < 0.7
    assert (np.bitwise_count(seen.truth) == 10).all()
    assert (seen.truth & (view["hand"] | view["pile"]) == 0).all()
    assert (~seen.truth & view["opponent"] == 0).all()
    took = eleven & (view["top"] < 0)
    assert took.any()
    assert (np.bitwise_count(view["allowed"][took]) == 10).all()
    assert (np.bitwise_count(view["allowed"][eleven & ~took]) == 11).all()
    unseen = CARDS - np.bitwise_count(view["hand"] | view["pile"] | seen.truth)
    assert (unseen == view["stock"]).all()


@pytest.fixture(scope="module")
def trained() -> champion_belief.Trained:
    return champion_belief.run("smoke", 1)


def test_a_short_training_makes_a_file_that_plays(trained: champion_belief.Trained, tmp_path) -> None:
    path = tmp_path / "mine.npz"
    path.write_bytes(trained.payload)
    seen = next(iter(gather(("simple",), range(2), 4, 0.2)))
    rows = np.arange(len(seen.view))
    found = joint_belief(str(path)).sample(seen.view, rows, np.full(len(rows), 0.5), 20)
    assert found.weights.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    assert trained.made_from["never_seen"] == list(KEPT_OUT)
    assert set(trained.training) == {*champion_belief.STAGES, "tilts"}
    result = {"artefact": "champion-belief", "made_from": trained.made_from, "training": trained.training}
    assert "against 4 opponents" in champion_belief.summary(result | {"seconds": 1.0})


@kernel
def _losses(
    view, truth, belief, types_, cards, net, tilts, rules, singles, ints, doubles, hands, weights, out
):
    for k in range(view.shape[0]):
        joint_kernels.think(view[k], belief[k], types_, cards, singles, ints, doubles)
        size, unknown, total = joint_kernels.prepare(view[k], singles, ints, doubles)
        joint_kernels.draw(view[k], 0.5, size, unknown, ints, doubles, hands)
        hands[0] = truth[k]
        joint_kernels.write_energies(
            view[k], hands, total, False, net, rules, singles, ints, doubles, weights
        )
        out[k, 0] = total - joint_kernels.log_odds(truth[k] & ~view[k].opponent, singles)
        own = weights[0]
        out[k, 1] = joint_kernels.normalise(weights) - own


def test_the_record_is_derived_again_on_a_sample() -> None:
    """The losses of all three networks on some of the games that were held back, and two of the types."""
    record = artefacts.record(MODEL)
    names = pool()
    full = champion_belief.FULL
    seed = DATA_SEED + 1 + champion_belief.VALIDATION
    seen = together(gather(names, range(4), seed, full.keep))
    rows = np.arange(len(seen.view))
    nets = types.shipped(MODEL)
    odds = posterior(seen.view, rows)
    labels = np.array([TYPES.index(kind) for kind in record["made_from"]["types"].values()])
    by_type = -np.log(odds[rows, labels[seen.who]]).mean()
    out = np.empty((len(rows), 2))
    among = champion_belief.AMONG
    _losses(
        seen.view, seen.truth, bayes().raw(seen.view, rows), *(nets[name] for name in types.NETS),
        *joint_kernels.room(), np.empty(among, np.int64), np.empty(among), out,
    )  # fmt: skip
    found = dict(zip(champion_belief.STAGES, (by_type, *out.mean(axis=0)), strict=True))
    for stage, near in (("types", 0.15), ("cards", 0.6), ("hands", 0.25)):
        said = min(epoch["validation"] for epoch in record["training"][stage]["history"])
        assert found[stage] == pytest.approx(said, abs=near), stage
    assert list(record["made_from"]["never_seen"]) == list(KEPT_OUT)
    for name in ("simple", "hand-strength:profile=code"):
        assert TYPES[label(name, range(100), DATA_SEED + 1)] == record["made_from"]["types"][name]


def test_facts_of_hands_equal_their_slow_twin() -> None:
    seen = next(iter(gather(("hand-strength",), range(2), 8, 0.3)))
    rows = np.arange(len(seen.view))
    found = whole_hands.facts(seen.view, rows, seen.truth[:, None], np.ones((len(rows), 1)))
    for k in rows:
        hand, view = set(cards_of(int(seen.truth[k]))), seen.view[k]
        gone = set(cards_of(int(view["hand"] | view["pile"]))) | hand
        left = naive.deadwood(hand)
        melded = {card for meld in naive.melds_in(hand) for card in meld}
        gin = any(naive.deadwood_after_discard(hand | {card}) == 0 for card in set(range(52)) - gone)
        assert found[k].tolist() == [left, len(melded), float(left <= 10), float(gin)]
    assert found[:, 2:].any(axis=0).all()
    several = np.stack([seen.truth, np.roll(seen.truth, 1)], axis=1)
    weights = np.tile([0.25, 0.75], (len(rows), 1))
    mixed = whole_hands.facts(seen.view, rows, several, weights)[:, 0]
    left = deadwoods(seen.truth)
    assert mixed == pytest.approx(0.25 * left + 0.75 * np.roll(left, 1))


def test_a_study_of_whole_hands_adds_up() -> None:
    """Shards add up to the whole, and equal chances have the likelihood of counting."""
    asked = hand_study.hand_settings(["joint"], ("champion:level=fast", "simple"), "b", 40)
    assert asked.estimators == ("joint", "null")
    whole, *parts = (
        whole_hands.count_hands(asked, Shard(EAAI, 5, games)) for games in (range(4), range(2), range(2, 4))
    )
    one, both = whole_hands.WholeHands([whole]), whole_hands.WholeHands(parts)
    assert one.moments() == both.moments() > 50
    for quantity in ("log_chance joint", "ahead null", "true deadwood", "deadwood joint", "size joint"):
        assert one.mean(quantity).value == pytest.approx(both.mean(quantity).value)
        assert one.mean(quantity).error == pytest.approx(both.mean(quantity).error)
    assert one.mean("ahead null").value == pytest.approx(
        one.mean("log_chance joint").value - one.mean("log_chance null").value
    )
    assert one.mean("ahead null").value > 0.5
    result = hand_study.estimate_hands(asked, Plan(4, 5, EAAI))
    assert result["overall"]["joint"]["log_chance"]["mean"] == pytest.approx(
        one.mean("log_chance joint").value
    )
    assert result["overall"]["true"]["knock"]["mean"] == 0, "the baseline knocks at once"
    json.dumps(result, allow_nan=False)


def test_wrong_questions_about_hands_are_answered_in_one_line() -> None:
    players = ("simple", "simple")
    with pytest.raises(
        UnknownName, match="knows single cards only: for whole hands, null, belief-net, joint"
    ):
        hand_study.hand_settings(["bayes"], players, "b", 10)
    with pytest.raises(UnknownName, match="unknown hand 'x'"):
        hand_study.hand_settings(["joint"], players, "x", 10)
    with pytest.raises(BadInput, match="named twice"):
        hand_study.hand_settings(["joint", "joint"], players, "a", 10)
