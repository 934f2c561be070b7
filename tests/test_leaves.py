"""Lines that are cut: the numbers of a position, the network in its kernel, the search that uses it."""

from functools import cache

import numpy as np
import pytest

import naive
from ginrummy import artefacts, sim
from ginrummy.cards import CARDS, DECK, cards_of
from ginrummy.compiled.policy import SCRATCH
from ginrummy.compiled.worlds import DRAWING
from ginrummy.errors import BadInput
from ginrummy.estimators.types import KNOCK_LIMITS, TYPES
from ginrummy.players.champion import network_answers
from ginrummy.rules import EAAI, PRESETS
from ginrummy.search import leaves
from ginrummy.search.beliefs import belief_of
from ginrummy.search.leaves import BINS, EDGES, INPUTS, LANES, OUTPUTS, PARTS, SECOND, SIDE, bin_of
from ginrummy.search.pricing import SPAN, price_list
from ginrummy.search.searcher import WHOLE, Searcher, Settings
from ginrummy.training.nets import leaves as training
from slow_sketch import beside, makers, mates

GREEDY = len(TYPES)


@cache
def positions() -> list[tuple[np.void, np.void, int, int, np.ndarray]]:
    """Both views at draws of either side, who draws, a type of opponent, and the inputs of the network."""
    kept = []

    class Keeping(training.Watching):
        def watched(self, player, side):
            inner = super().watched(player, side)
            tables, first, second, _ = self._batch

            def decide(view, rows, u):
                before = len(self.x)
                answer = inner.draw(view, rows, u)
                for where, x in zip(self.where[before], self.x[before], strict=True):
                    (row,) = np.flatnonzero(tables["game"] == where[0])
                    kept.append((first[row].copy(), second[row].copy(), side, self._kind, x))
                return answer

            return type(inner)(inner.name, decide, inner.discard, inner.knock, inner.spread)

    for place, (spec, kind) in enumerate({"hand-strength:profile=tuned": 1 + GREEDY, "simple": 0}.items()):
        batch = training.new_tables(8, range(8))
        watching = Keeping(batch, kind, 5)
        players = [
            watching.watched(training.make_player(name), side) for side, name in enumerate(("simple", spec))
        ]
        lockstep = sim.Lockstep(tuple(players), batch, EAAI, 6 + place)
        lockstep.begin()
        lockstep.run(np.zeros(8, training.GAME), record=False)
    return kept


def least_after(hand: set[int], card: int) -> int:
    return naive.deadwood_after_discard(hand | {card})


def side_numbers(
    hand: set[int], other: set[int], stock: set[int], top: int | None, limit: int, does: int
) -> list[float]:
    """The numbers of a side, from sets of cards."""
    now = naive.deadwood(hand)
    loose = {card for card in hand if not any(card in meld for meld in naive.melds_in(hand))}
    alone = {
        card for card in loose
        if not hand & (mates(card) | set(beside(card, 1)) | set(beside(card, 2)))
    }  # fmt: skip
    live = makers(hand) & stock
    left = {card: least_after(hand, card) for card in stock}
    lowest = sorted(left.values())[:6]
    size, cards = max(1, len(stock)), len(loose)
    wanted = loose & makers(other)
    numbers = [
        now * 0.02, min(now, 10) * 0.1, now <= limit, now <= does,
        cards * 0.1, cards <= 1, cards <= 2, cards <= 3,
        naive.points(alone) * 0.03, (now - naive.deadwood_after_discard(hand)) * 0.1,
        sum(lowest) / len(lowest) * 0.03, len(live) * 0.1,
        sum(left[card] < now for card in live) / size,
        sum(left[card] <= limit for card in live) / size,
        sum(left[card] <= does for card in live) / size,
        3 * sum(left[card] == 0 for card in live) / size,
        0.1 * sum(now - left[card] for card in live) / size,
        len(wanted) * 0.3, naive.points(wanted) * 0.03,
    ]  # fmt: skip
    if top is None:
        return [*numbers, 0, 0, 0]
    after = least_after(hand, top)
    return [*numbers, max(now - after, 0) * 0.1, after <= does, after == 0]


def test_the_numbers_of_a_position_are_those_of_their_slow_twin() -> None:
    checked = 0
    for a, b, mover, kind, x in positions()[::9]:
        own, other = (set(cards_of(int(one["hand"]))) for one in (a, b))
        stock = set(cards_of(DECK & ~int(a["hand"] | b["hand"] | a["pile"])))
        top, limit = int(a["top"]), int(a["limit"])
        does = min(limit, int(KNOCK_LIMITS[kind % GREEDY, min(int(b["own_turns"]), 19)]))
        mine = side_numbers(own, other, stock, None if mover else top, limit, limit)
        theirs = side_numbers(other, own, stock, top if mover else None, limit, does)
        turn, scores = int(a["own_turns"]), (int(a["score"]), int(a["opponent_score"]))
        table = [
            1 - mover, int(a["stock"]) / 31, a["stock"] <= 6, min(turn, 12) * 0.1,
            turn >= 2, turn >= 4, turn >= 6, turn >= 9,
            scores[0] * 0.01, scores[1] * 0.01, (scores[0] - scores[1]) * 0.01, kind >= GREEDY,
        ]  # fmt: skip
        types = [float(kind % GREEDY == k) for k in range(GREEDY)]
        expected = np.array([*mine, *theirs, *table, *types], float)
        assert len(mine) == SIDE and len(expected) == INPUTS
        assert x == pytest.approx(expected, abs=1e-5)
        checked += 1
    assert checked > 40


def chances(x: np.ndarray) -> np.ndarray:
    """[N, BINS] what the network says, written out."""
    w, at = leaves.leaves().weights.astype(np.float64), 0

    def layer(given: np.ndarray, outputs: int) -> np.ndarray:
        nonlocal at
        n = given.shape[1]
        matrix, bias = w[at : at + n * outputs].reshape(n, outputs), w[at + n * outputs :][:outputs]
        at += (n + 1) * outputs
        return given @ matrix + bias

    first = np.maximum(np.concatenate([layer(x, LANES) for _ in range(PARTS)], 1), 0)
    logits = layer(np.maximum(layer(first, SECOND), 0), OUTPUTS)[:, :BINS]
    assert at == len(w)
    likely = np.exp(logits - logits.max(1, keepdims=True))
    return likely / likely.sum(1, keepdims=True)


def test_values_are_those_of_the_network_written_out() -> None:
    x = np.stack([one[-1] for one in positions()])
    worth = leaves.leaves().shares @ price_list(EAAI, 40, 60, 0)
    found, hidden = np.empty(len(x)), np.empty(2 * SCRATCH, np.float32)
    leaves.leaf_values(x, leaves.leaves().weights, worth, hidden, found)
    assert found == pytest.approx(chances(x) @ worth, abs=1e-5)
    assert 0 < found.min() < found.max() < 1


def test_every_class_holds_its_points() -> None:
    won = np.arange(-SPAN, SPAN + 1)
    for k, shares in enumerate(leaves.leaves().shares):
        assert shares.sum() == pytest.approx(1, abs=1e-5)
        assert set(bin_of(won[shares > 0])) == {k}
    assert bin_of(np.array([-100, -1, 0, 1, 100])).tolist() == [
        0,
        EDGES.index(-1) + 1,
        EDGES.index(0) + 1,
        EDGES.index(1) + 1,
        BINS - 1,
    ]


def test_the_network_tells_how_rounds_end() -> None:
    """On games of its own it explains about as much of what rounds bring as its record says."""
    record = artefacts.record(leaves.MODEL)
    assert record["made_from"]["teacher_sha256"] == artefacts.digest(artefacts.load("champion.onnx"))
    x, points = training.watched(300, 5)
    means = leaves.leaves().shares @ np.arange(-SPAN, SPAN + 1)
    explained = 1 - np.var(points - chances(x) @ means) / np.var(points)
    assert explained == pytest.approx(record["training"]["explained"], abs=0.06)


def cards_in(masks: np.ndarray) -> np.ndarray:
    """[N, 52] whether each card is in each mask."""
    return masks[:, None] >> np.arange(CARDS) & 1 == 1


def searcher(**changes) -> Searcher:
    settings = Settings(**{"rollouts": 400, "hands": 60, "cut": 1e9, **changes})
    return Searcher(network_answers(), belief_of("joint"), EAAI, settings)


@cache
def asked() -> np.ndarray:
    """Views of side 0 at draws in ordinary turns."""
    return np.stack([a for a, _, mover, *_ in positions() if mover == 0])


def searched(search: Searcher) -> np.ndarray:
    view = asked()[:30]
    trials = search.choices(np.zeros(len(view)))
    search.search(trials, view, np.arange(len(view)), np.full(len(view), 0.3), DRAWING, least=0)
    return trials


def test_a_cut_far_away_is_no_cut() -> None:
    whole, far, near = (searched(searcher(depth=depth, late=900)) for depth in (0, 900, 3))
    assert (whole == far).all()
    assert (whole["ends"].sum(axis=(1, 2)) == whole["rollouts"]).all()
    assert (near["ends"].sum(axis=(1, 2)) < near["rollouts"]).mean() > 0.9
    assert (near["total"] != whole["total"]).any()


def test_lines_go_on_to_the_end_late_in_a_round_and_under_other_rules() -> None:
    late = asked()[:30]["own_turns"] >= 4
    trials = searched(searcher(depth=2, late=4))
    ended = trials["ends"].sum(axis=(1, 2)) == trials["rollouts"]
    assert ended[late].all() and not ended[~late].all()
    assert (trials["rollouts"][late] <= 400 // WHOLE).all() and (trials["rollouts"][~late] == 400).all()
    uk = searcher(depth=2)
    trials = searched(Searcher(uk.blueprint, uk.belief, PRESETS["uk"], uk.settings))
    assert (trials["ends"].sum(axis=(1, 2)) == trials["rollouts"]).all()


def test_cut_lines_agree_with_whole_ones_on_the_average() -> None:
    """A cut line is worth what its rounds bring: over many positions the means are alike."""
    means = {}
    for depth in (0, 2):
        trials = searched(searcher(depth=depth, rollouts=2000))
        means[depth] = trials["total"][:, :2].sum(1) / trials["played"][:, :2].sum(1)
    assert means[2].mean() == pytest.approx(means[0].mean(), abs=0.05)
    assert np.corrcoef(means[0], means[2])[0, 1] > 0.85


def test_the_network_explores_and_what_follows_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """One answer in eight is not the network's, a discard then one of its next three; the leaf after it is kept."""
    monkeypatch.setattr(training, "KEPT", 0.0)
    spreading = training.make_player("hand-strength:profile=tuned").compiled
    batch = training.new_tables(40, range(40))
    watching, network = training.Watching(batch, 0, 3), network_answers()
    own = watching.exploring(network, spreading)
    given = {"draw": [], "discard": [], "knock": []}

    def noted(name: str):
        decide, plain = getattr(own, name), getattr(network, name)

        def answer(view, rows, u):
            found, usual = decide(view, rows, u), plain(view, rows, u)
            given[name] += (found != usual).tolist()
            if name == "discard":
                scores = np.where(cards_in(view["allowed"][rows]), network.scores(view, rows), -np.inf)
                liked = (scores > scores[np.arange(len(rows)), found][:, None]).sum(1)
                assert (liked < training.AMONG).all()
                assert (watching._tried[rows] == (liked > 0)).all()
            return found

        return answer

    player = training.Player("explores", noted("draw"), noted("discard"), noted("knock"), own.spread)
    players = watching.watched(player, 0), watching.watched(training.make_player("simple"), 1)
    lockstep = sim.Lockstep(players, batch, EAAI, 9)
    lockstep.begin()
    lockstep.run(np.zeros(40, training.GAME), record=False)
    tried = np.mean(given["discard"])
    assert tried == pytest.approx(training.TRIED, abs=0.03)
    assert 0 < np.mean(given["draw"]) <= training.TRIED + 0.03 and np.sum(given["knock"]) > 5
    kept = sum(map(len, watching.x))
    assert 0.7 * np.sum(given["discard"]) < kept <= np.sum(given["discard"])  # others end the round
    movers = np.concatenate(watching.x)[:, leaves.MOVES]
    assert (movers == 0).all()  # the other side draws


def test_a_short_training_repeats_and_another_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    trained = training.run("smoke", 1)
    assert training.run("smoke", 1).payload == trained.payload
    result = {"artefact": "leaves", "made_from": trained.made_from, "training": trained.training}
    assert "positions" in training.summary(result | {"seconds": 2.0})
    for payload in (b"nothing", artefacts.load("sketch.npz")):
        monkeypatch.setattr(artefacts, "load", lambda name, payload=payload: payload)
        leaves.leaves.cache_clear()
        with pytest.raises(BadInput, match=r"leaves"):
            leaves.leaves()
    monkeypatch.setattr(artefacts, "load", lambda name: trained.payload)
    assert leaves.leaves().weights.shape == (leaves.WEIGHTS,)
    leaves.leaves.cache_clear()
