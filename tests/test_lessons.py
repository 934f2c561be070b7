"""Lessons of a search, and a network that learns them."""

from io import BytesIO

import numpy as np
import pytest
import torch

from ginrummy import artefacts
from ginrummy.cards import CARDS, DECK
from ginrummy.networks import Network
from ginrummy.policies.champion import DISCARD, DRAW, INPUTS, KNOCK
from ginrummy.search.arms import ARMS, TRIAL
from ginrummy.training.selfplay import lessons, taught
from ginrummy.training.selfplay.kernels import SCALE
from ginrummy.training.selfplay.learner import liked_answers


@pytest.fixture(scope="module")
def found() -> lessons.Lessons:
    return lessons.Pupil("eaai", 3).play("hand-strength:profile=tuned", range(8), 5)


def test_lessons_tell_what_other_answers_are_worth(found) -> None:
    """The first answer is the network's own and the mark for all others; answers are legal and differ."""
    assert set(found.question) == {DRAW, DISCARD, KNOCK} and found.size > 60
    assert (found.worth[:, 0] == 0).all() and (found.worth[found.codes < 0] == 0).all()
    assert (np.abs(found.worth) <= SCALE).all() and found.worth.any(1).mean() > 0.9
    assert (np.bitwise_count(found.hidden) == 10).all() and (found.hidden & ~DECK == 0).all()
    discards = found.question == DISCARD
    given = found.codes >= 0
    assert (given.sum(1) >= 2).all() and (given.sum(1)[~discards] == 2).all()
    assert (found.codes[discards] < CARDS).all() and (found.codes[~discards][:, :2] >= CARDS).all()
    for codes, hidden in zip(found.codes[discards], found.hidden[discards], strict=True):
        cards = [int(card) for card in codes if card >= 0]
        assert len(set(cards)) == len(cards) and not any(hidden >> card & 1 for card in cards)
    network = taught.opened(artefacts.load(lessons.NETWORK))
    liked = liked_answers(network, found, np.arange(found.size))
    assert (liked.argmax(1) == 0).mean() > 0.99  # the network in training rounds numbers


def test_lessons_repeat_and_come_back_from_a_file(found) -> None:
    again = lessons.Pupil("eaai", 3).play("hand-strength:profile=tuned", range(8), 5)
    back = lessons.read(BytesIO(again.file()))
    both = lessons.joined([back, back])
    for name in lessons.Lessons._fields[1:]:
        mine, other, twice = getattr(found, name), getattr(back, name), getattr(both, name)
        assert (mine == other).all() and (twice == np.concatenate([mine, mine])).all()
    actor = taught.opened(artefacts.load(lessons.NETWORK))
    rows = np.arange(found.size)
    liked = liked_answers(actor, both, np.arange(both.size))
    assert (liked == np.tile(liked_answers(actor, found, rows), (2, 1))).all()


def test_a_discard_with_and_without_a_knock_is_worth_the_better() -> None:
    trials = np.zeros(1, TRIAL)
    trials["size"], trials["home"], trials["worlds"] = 4, 1, 10
    trials["answer"][0, :4] = 7, 9, 9, 11
    trials["total"][0, :4] = 4.0, 5.0, 6.0, 3.0
    trials["liked"][0, :4] = 1.0, 2.0, 2.0, 0.0
    codes, worth, chosen = lessons._worths(trials, DISCARD, 0.0)
    assert codes[0].tolist() == [9, 7, 11] + [-1] * (lessons.ANSWERS - 3)
    assert worth[0, :3] == pytest.approx(SCALE * np.array([0.0, -0.2, -0.3]))
    assert chosen.tolist() == [9]
    assert lessons._worths(trials, DISCARD, 1.0)[2].tolist() == [9]
    trials["liked"][0, 0] = 4.0
    assert lessons._worths(trials, DISCARD, 0.2)[2].tolist() == [7]  # 0.4 + 0.8 against 0.6 + 0.4
    assert lessons.ANSWERS <= ARMS


def test_the_games_of_all_shards_are_those_of_the_subjects() -> None:
    payloads = taught.shards(20_000, 4)
    subjects = taught.subjects(20_000)
    for place, one in enumerate(subjects):
        mine = [shard for shard in payloads if shard["seed"] == 4 + place]
        games = [game for shard in mine for game in range(shard["start"], shard["stop"])]
        assert games == list(range(one["games"]))
        assert {shard["opponent"] for shard in mine} == {one["opponent"]}
    assert sum(one["games"] for one in subjects) == pytest.approx(20_000, abs=2 * len(subjects))
    assert not any(name in one["opponent"] for one in subjects for name in taught.KEPT_OUT)
    held = sum(one["held_back"] for one in payloads) / len(payloads)
    assert held == pytest.approx(1 / taught.HELD_BACK, abs=0.03)
    few = [one["held_back"] for one in taught.shards(200, 4)]
    assert True in few and False in few  # the least training has both too


def test_the_shipped_network_is_read_back_to_learn_on() -> None:
    """The actor in training answers as the exported network, and is not told the belief yet."""
    payload = artefacts.load(lessons.NETWORK)
    actor = taught.opened(payload)
    x = np.random.default_rng(4).random((40, INPUTS)).astype(np.float32)
    with torch.no_grad():
        mine = actor(torch.from_numpy(x)).numpy()
    from ginrummy.policies.champion import first_planes, planes_of

    network = Network("champion.onnx", payload)
    other = network(first_planes(x, planes_of(network.columns)))
    x[:, : CARDS * 18].reshape(40, 4, 18, 13)[:, :, 16:] = 0
    with torch.no_grad():
        untold = actor(torch.from_numpy(x)).numpy()
    if planes_of(network.columns) < 18:
        assert (untold == mine).all()  # weights of planes that the network was not told are 0
    assert np.abs(mine - other).max() < 1e-2


def test_an_actor_learns_what_the_lessons_say(found) -> None:
    """Where lessons always say that the last answer is best by far, the actor comes to prefer it."""
    actor = taught.opened(artefacts.load(lessons.NETWORK))
    last = np.where(found.codes >= 0, np.arange(lessons.ANSWERS), -1).max(1)
    worth = np.where(np.arange(lessons.ANSWERS) == last[:, None], 0.2 * SCALE, 0).astype(np.float32)
    told = found._replace(worth=np.where(found.codes >= 0, worth, 0).astype(np.float32))
    before = taught.gains(actor, told)
    how = taught.Settings(epochs=60, batch=64, warm=2, rate=1e-3, trust=0.0)
    taught.learn(actor, told, how, 1)
    after = taught.gains(actor, told)
    for name, gain in after.items():
        assert gain.mean() > before[name].mean() + 1, name  # of 20 hundredths
    again = taught.opened(artefacts.load(lessons.NETWORK))
    told = found._replace(worth=told.worth.copy())
    taught.learn(again, told, how, 1)
    for mine, other in zip(actor.parameters(), again.parameters(), strict=True):
        assert (mine == other).all()


def test_a_short_training_makes_a_network() -> None:
    trained = taught.run("smoke", 1)
    assert Network("champion-lessons.onnx", trained.payload).columns == INPUTS
    result = {"artefact": "champion-lessons", "made_from": trained.made_from, "training": trained.training}
    text = taught.summary(result | {"seconds": 2.0})
    assert "lessons from" in text and "discards" in text
    assert trained.made_from["rows"] > 8 * trained.made_from["held_back"] / 4
