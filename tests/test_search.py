"""Search: proposals, worlds, prices, elimination, gate and budget, each against numbers made without it."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from ginrummy import sim
from ginrummy.cards import DECK, POINTS, mask_of
from ginrummy.compiled.policy import SCRATCH, Compiled
from ginrummy.compiled.worlds import DISCARDING, DRAWING, KNOCKING, LINE, Worlds, play_from
from ginrummy.equity import win_chances
from ginrummy.errors import UnknownName
from ginrummy.estimators.types import EVIDENCE, GREEDY_BEFORE, KNOCK_LIMITS, MANNERS, TAKEN, TYPES, taking
from ginrummy.experiments.champion import ablation
from ginrummy.experiments.champion.truth import Truth, peeking
from ginrummy.judging.shards import Shard
from ginrummy.melds import all_melds, deadwood, deadwoods, defend, points
from ginrummy.players.base import Player, under
from ginrummy.players.champion import LEVELS, adviser, champion, network_answers
from ginrummy.players.registry import make_player
from ginrummy.policies.defence import best_defence
from ginrummy.policies.rollout import best_fast
from ginrummy.rules import EAAI, PRESETS
from ginrummy.search.advice import advise, as_view, question_of
from ginrummy.search.arms import TRIAL
from ginrummy.search.beliefs import WORLDS, belief_of
from ginrummy.search.elimination import choose_rows, difference, eliminate
from ginrummy.search.kernel import BATCH, draw_worlds
from ginrummy.search.pricing import SPAN, price_list
from ginrummy.search.searcher import Searcher, Settings, draw_manners
from ginrummy.search.styles import (
    OTHER_TERM,
    REPLIES,
    STRENGTH,
    constants,
    opponents,
    own_policy,
    rule_style,
)
from ginrummy.strength import KNOCK, KNOCK_TURNS
from ginrummy.styles import OFFERS, TAKES
from ginrummy.view import sight

SMALL = Settings(rollouts=300, hands=60)


@cache
def asked() -> dict[int, np.ndarray]:
    """Views at draws, discards and knocks of the network in games against ``simple``."""
    kept: dict[int, list[np.ndarray]] = {DRAWING: [], DISCARDING: [], KNOCKING: []}
    fast = make_player("champion:level=fast")

    def keep(phase, decide):
        def watched(view, rows, u):
            kept[phase].append(view[rows].copy())
            return decide(view, rows, u)

        return watched

    watcher = Player(
        "watcher",
        keep(DRAWING, fast.draw),
        keep(DISCARDING, fast.discard),
        keep(KNOCKING, fast.knock),
        fast.spread,
    )
    sim.play(watcher, make_player("simple"), range(6), EAAI, 4)
    return {phase: np.concatenate(views) for phase, views in kept.items()}


def searcher(**changes) -> Searcher:
    settings = Settings(**{"rollouts": 300, "hands": 60, **changes})
    return Searcher(network_answers(), belief_of("joint"), EAAI, settings)


def uniforms(n: int) -> np.ndarray:
    return np.random.default_rng(3).random(n)


# Arms.


def test_the_blueprints_answer_is_always_among_the_arms() -> None:
    view = asked()[DISCARDING]
    rows, blueprint = np.arange(len(view)), network_answers()
    cards = blueprint.discard(view, rows, uniforms(len(view)))
    gin = 0
    for most in (1, 4, 0):
        trials = searcher().discards(view, rows, most)
        for trial, seen, card in zip(trials, view, cards.tolist(), strict=True):
            size, home = trial["size"], trial["home"]
            arms = list(zip(trial["answer"][:size].tolist(), trial["knock"][:size].tolist(), strict=True))
            left = {
                c: deadwood(int(seen["hand"]) ^ 1 << c) for c in range(52) if int(seen["allowed"]) >> c & 1
            }
            assert trial["left"] == size == len(set(arms)) >= 1
            assert all(left[c] <= seen["limit"] for c, knock in arms if knock)
            if most and min(left.values()) == 0:
                gin += 1
                assert len(arms) == 1 and left[arms[0][0]] == 0 and arms[0][1] == 1
                continue
            assert arms[home][0] == card
            if most == 0:
                assert set(arms) == {(c, 0) for c in left} | {
                    (c, 1) for c in left if left[c] <= seen["limit"]
                }
            else:
                assert sum(1 - knock for _, knock in arms) == min(most, len(left))
            if min(left.values()) <= seen["limit"]:
                assert min(left.values()) in [left[c] for c, knock in arms if knock]
    assert gin > 0


def test_the_blueprints_knock_after_its_discard_is_home() -> None:
    view = asked()[DISCARDING]
    trials = searcher().discards(view, np.arange(len(view)), 4)
    home = trials["knock"][np.arange(len(trials)), trials["home"]]
    after = asked()[KNOCKING]
    assert home.sum() > 0
    answered = network_answers().knock(after, np.arange(len(after)), uniforms(len(after)))
    assert (
        home.sum() == answered.sum()
    )  # the same rounds: every knock of the games comes after such a discard


# Elimination and gate.


def trial_of(values: np.ndarray, home: int = 0) -> np.ndarray:
    """A trial with these [worlds, arms] results."""
    trials = np.zeros(1, TRIAL)
    n, size = values.shape
    trials["size"] = trials["left"] = size
    trials["home"], trials["worlds"] = home, n
    trials["alive"][0, :size] = 1
    trials["total"][0, :size] = values.sum(axis=0)
    for a in range(size):
        for b in range(a, size):
            trials["cross"][0, a, b] = values[:, a] @ values[:, b]
    return trials


def chosen(trials: np.ndarray, gate: float, trust: float = 0.0) -> int:
    out = np.empty(1, np.int64)
    choose_rows(trials, gate, trust, out)
    return int(out[0])


def test_differences_are_those_of_the_worlds() -> None:
    values = np.random.default_rng(1).random((50, 4))
    trial = trial_of(values)[0]
    for a in range(4):
        for b in range(4):
            if a != b:
                apart = values[:, a] - values[:, b]
                mean, error = difference(trial, a, b)
                assert mean == pytest.approx(apart.mean())
                assert error == pytest.approx(apart.std() / 50**0.5)


def test_arms_that_are_surely_behind_are_dropped_and_the_gate_keeps_home() -> None:
    rng = np.random.default_rng(2)
    common = rng.random((100, 1))  # what the worlds have in common does not count
    values = common + np.array([0.0, 0.34, 0.28, -0.5]) + 0.2 * rng.standard_normal((100, 4))
    trials = trial_of(values, home=2)
    eliminate(trials[0], 2.5, 0.0)
    assert trials["alive"][0, :4].tolist() == [0, 1, 1, 0]
    assert trials["left"][0] == 2
    mean, error = difference(trials[0], 1, 2)
    assert 0 < mean < 2.5 * error
    assert chosen(trials, 0.99 * mean / error) == 1
    assert chosen(trials, 1.01 * mean / error) == 2
    trials["home"] = 0  # dropped: the leader plays, whatever the gate
    assert chosen(trials, 100.0) == 1


def test_what_the_blueprint_likes_counts_beside_the_means() -> None:
    rng = np.random.default_rng(2)
    values = np.array([0.5, 0.52, 0.1]) + 0.01 * rng.standard_normal((400, 3))
    trials = trial_of(values, home=0)
    trials["liked"][0, :3] = 4.0, 1.0, 3.0  # the first is 3 ahead of the second
    assert chosen(trials, 0.0) == 1
    assert chosen(trials, 0.0, trust=0.006) == 1 and chosen(trials, 0.0, trust=0.007) == 0
    eliminate(trials[0], 2.5, 0.0067)  # the means alone would drop the first
    assert trials["alive"][0, :3].tolist() == [1, 1, 0]
    eliminate(trials[0], 2.5, 0.02)
    assert trials["alive"][0, :3].tolist() == [1, 0, 0]


def test_without_a_world_home_is_played() -> None:
    trials = trial_of(np.zeros((0, 3)), home=1)
    assert chosen(trials, 0.0) == 1


# Prices.


@pytest.mark.parametrize("preset", ["eaai", "uk", "us-boxes", "oklahoma", "straight"])
def test_points_are_priced_by_the_chance_to_win_the_game(preset: str) -> None:
    rules = PRESETS[preset]
    table = win_chances(rules)
    for own, other, starts in ((0, 0, 1), (40, 70, 0), (99, 99, 1), (80, 5, 0)):
        prices = price_list(rules, own, other, starts)
        for worth in range(-150, 151):
            mine, theirs = own + max(worth, 0), other + max(-worth, 0)
            if mine >= 100 or theirs >= 100:
                expected = float(mine >= 100)
            else:
                next_starts = starts if worth == 0 else 1 - starts
                expected = table[mine, theirs, next_starts]
            assert prices[SPAN + worth] == expected
    assert (np.diff(price_list(rules, 10, 20, 1)[SPAN + 1 :]) >= 0).all()


# Worlds.


def test_worlds_agree_with_the_view_and_follow_the_weights() -> None:
    view = asked()[DISCARDING]
    row = int(view["events"].argmax())
    seen, n = view[row], 2000
    found = belief_of("uniform").sample(view, np.array([row]), np.array([0.3]), 5)
    hands, kinds = np.empty(n, np.int64), np.empty(n, np.int64)
    stocks = np.zeros((n, int(seen["stock"])), np.int8)
    weights, types = np.array([0.4, 0.3, 0.15, 0.1, 0.05]), np.array([2, 0, 1, 2, 0])
    hidden = found.hands[0], weights.cumsum(), types
    draw_worlds(view[row], 0, n, 77, *hidden, hands, kinds, stocks)
    cards = np.bitwise_or.reduce(np.int64(1) << stocks.astype(np.int64), axis=1)
    assert (np.bitwise_count(cards) == seen["stock"]).all()
    assert (cards | hands == DECK & ~int(seen["hand"] | seen["pile"])).all()
    for hand, weight, kind in zip(found.hands[0].tolist(), weights, types, strict=True):
        assert (hands == hand).mean() == pytest.approx(weight, abs=0.01)
        assert (kinds[hands == hand] == kind).all()
    same = hands == hands[0]  # the stock is in random order: every card comes first about as often
    first = np.bincount(stocks[same, 0], minlength=52)
    held = [c for c in range(52) if int(cards[0]) >> c & 1]
    assert first.sum() == first[held].sum()
    assert first[held].max() < 3 * first[held].mean()
    later = np.empty(500, np.int64), np.empty(500, np.int64), np.zeros((500, int(seen["stock"])), np.int8)
    draw_worlds(view[row], 100, 500, 77, *hidden, *later)
    assert (later[0] == hands[100:600]).all() and (later[2] == stocks[100:600]).all()


@pytest.mark.parametrize("replies", REPLIES)
@pytest.mark.parametrize("phase", [DRAWING, DISCARDING, KNOCKING])
def test_results_are_those_of_play_from_here(phase: int, replies: str) -> None:
    """All arms, no elimination: the sums are those of the same lines played by ``play_from``."""
    view = asked()[phase]
    row = len(view) // 2
    rows, u = np.array([row]), np.array([0.42])
    search = searcher(rollouts=40 * 24, cut=1e9, replies=replies)
    if phase == DISCARDING:
        trials = search.discards(view, rows, 0)
    else:
        trials = search.choices(np.array([True]))
    found = search.search(trials, view, rows, u, phase, least=0)
    trial, size = trials[0], int(trials["size"][0])
    n, seed = int(trial["worlds"]), int(0.42 * (1 << 52))
    assert n == 40 * 24 // size
    hands, kinds = np.empty(n, np.int64), np.empty(n, np.int64)
    stocks = np.zeros((n, int(view[row]["stock"])), np.int8)
    types = np.asarray(search.belief.draw_types(view, rows, found, u), np.int64)[0]
    types += len(TYPES) * draw_manners(view, rows, u, len(types))[0]
    draw_worlds(view[row], 0, n, seed, found.hands[0], found.weights[0].cumsum(), types, hands, kinds, stocks)
    prices = price_list(EAAI, *(int(view[row][name]) for name in ("score", "opponent_score", "starts")))
    worth = np.empty((n, size), np.int64)
    own = own_policy(search.settings.plays)
    others = opponents(replies)
    for start in range(0, n, BATCH):
        batch = np.arange(start, min(n, start + BATCH))
        worlds = Worlds(hands[batch], stocks[batch])
        for kind in np.unique(kinds[batch]):
            these = np.flatnonzero(kinds[batch] == kind)
            todo = np.zeros(len(these) * size, LINE)
            todo["world"] = np.repeat(these, size)
            todo["answer"] = np.tile(trial["answer"][:size], len(these))
            todo["knock"] = np.tile(trial["knock"][:size], len(these))
            other = Compiled(others.policy, tuple(others.styles[kind].tolist()))
            sides = {"mine": own, "other": other, "seed": seed + start}
            found = play_from(view, row, phase, worlds, todo, EAAI, **sides)
            worth[batch[these]] = found["points"].reshape(-1, size)
    assert trial["points"][:size] == pytest.approx(worth.sum(axis=0))
    assert trial["squares"][:size] == pytest.approx((worth**2).sum(axis=0))
    value = prices[SPAN + worth]
    assert trial["total"][:size] == pytest.approx(value.sum(axis=0))
    assert np.triu(trial["cross"][:size, :size]) == pytest.approx(np.triu(value.T @ value))
    assert (trial["ends"][:size].sum(axis=1) == n).all()


def test_the_budget_by_count_is_exact() -> None:
    view = asked()[DISCARDING]
    rows = np.arange(12)
    for rollouts in (25, 100, 333):
        search = searcher(rollouts=rollouts, cut=1e9)
        trials = search.discards(view, rows, 5)
        search.search(trials, view, rows, uniforms(12), DISCARDING)
        for trial in trials:
            expected = rollouts // trial["size"] * trial["size"] if trial["size"] > 1 else 0
            assert trial["rollouts"] == expected
            assert (trial["played"][: trial["size"]] == expected // trial["size"]).all()
        search = searcher(rollouts=rollouts, cut=1.0)
        trials = search.discards(view, rows, 5)
        search.search(trials, view, rows, uniforms(12), DISCARDING)
        assert (trials["rollouts"] <= rollouts).all()
        assert (trials["rollouts"] == trials["played"].sum(axis=1)).all()


def test_a_first_look_ends_what_is_clear_and_the_rest_goes_on_in_all_hands(monkeypatch) -> None:
    view = asked()[DISCARDING]
    rows, u = np.arange(len(view)), uniforms(len(view))
    search = searcher(rollouts=2000, hands=60, first=40)
    drawn, sample = [], search.belief.sample

    def counted(view, rows, u, n):
        drawn.append((n, np.asarray(rows).tolist()))
        return sample(view, rows, u, n)

    monkeypatch.setattr(search.belief, "sample", counted)
    trials = search.discards(view, rows, 5)
    search.search(trials, view, rows, u, DISCARDING)
    (few, everybody), (many, rest) = drawn
    assert (few, many) == (40, 60) and set(rest) < set(everybody)
    clear = np.setdiff1d(everybody, rest)
    assert len(clear) and (trials["left"][clear] == 1).all()
    assert (trials["rollouts"][clear] <= 40 * trials["size"][clear]).all()
    assert (trials["rollouts"][rest] > 40 * trials["size"][rest] - 5).all()
    assert (trials["rollouts"] <= 2000).all()
    # With every arm kept, with a clock, or where all hands are few, all hands are drawn at once.
    for other, least in (
        (searcher(rollouts=200, hands=60, first=40), 0),
        (searcher(ms=1.0, hands=60, first=40), 1),
        (searcher(rollouts=200, hands=30, first=40), 1),
    ):
        monkeypatch.setattr(other.belief, "sample", counted)
        drawn.clear()
        other.search(other.discards(view, rows[:4], 5), view, rows[:4], u[:4], DISCARDING, least=least)
        assert [n for n, _ in drawn] == [other.settings.hands]


@pytest.mark.parametrize("first", [0, 20])
def test_a_row_is_answered_alike_alone_and_in_a_batch(first: int) -> None:
    search = searcher(rollouts=120, first=first)
    for phase, decide in ((DRAWING, search.draw), (DISCARDING, search.discard), (KNOCKING, search.knock)):
        view = asked()[phase][:24]
        u = uniforms(len(view))
        whole = decide(view, np.arange(len(view)), u)
        alone = [decide(view[k : k + 1], np.array([0]), u[k : k + 1])[0] for k in range(len(view))]
        assert whole.tolist() == alone


def test_what_is_not_searched_is_the_blueprints() -> None:
    search, blueprint = searcher(draws=False, discards=False, knocks=False), network_answers()
    for phase, name in ((DRAWING, "draw"), (DISCARDING, "discard"), (KNOCKING, "knock")):
        view = asked()[phase]
        given = view, np.arange(len(view)), uniforms(len(view))
        assert (getattr(search, name)(*given) == getattr(blueprint, name)(*given)).all()


def test_search_changes_some_answers_and_a_high_gate_none_that_are_left() -> None:
    view = asked()[DISCARDING]
    given = view, np.arange(len(view)), uniforms(len(view))
    home = network_answers().discard(*given)
    changed = (searcher(gate=0.0).discard(*given) != home).mean()
    kept = (searcher(gate=1000.0, cut=1000.0).discard(*given) != home).mean()
    gin = np.array(
        [
            min(deadwood(int(v["hand"]) ^ 1 << c) for c in range(52) if int(v["allowed"]) >> c & 1) == 0
            for v in view
        ]
    )
    assert changed > 0.02
    assert kept <= gin.mean()


def test_a_budget_by_the_clock_ends_in_time() -> None:
    view = asked()[DISCARDING]
    player = champion(level="default", ms=5.0)
    for row in range(4):
        assert view[row]["allowed"] >> int(player.discard(view, np.array([row]), np.array([0.5]))[0]) & 1
    search = searcher(ms=5.0, cut=1e9)
    trials = search.discards(view, np.array([0]), 5)
    search.search(trials, view, np.array([0]), np.array([0.5]), DISCARDING)
    assert trials["rollouts"][0] % (BATCH * trials["size"][0]) == 0
    assert 0 < trials["rollouts"][0] < 50_000


@pytest.mark.parametrize("worlds", WORLDS)
def test_every_belief_gives_worlds_that_the_view_allows(worlds: str) -> None:
    view = asked()[DRAWING][::7]
    found = belief_of(worlds).sample(view, np.arange(len(view)), uniforms(len(view)), 50)
    assert (np.bitwise_count(found.hands) == 10).all()
    assert (found.hands & (view["hand"] | view["pile"])[:, None] == 0).all()
    assert (~found.hands & view["opponent"][:, None] == 0).all()
    assert found.weights.sum(axis=1) == pytest.approx(1)
    assert found.types.sum(axis=1) == pytest.approx(1)
    left = deadwoods(found.hands.ravel()).reshape(found.hands.shape)
    if worlds == "tilted":
        assert (found.weights * left).sum() < left.mean(axis=1).sum()


# Policies of rollouts, and the melds that are laid down.


@pytest.mark.parametrize("replies", REPLIES)
def test_types_of_opponent_knock_in_rollouts_as_they_should(replies: str) -> None:
    styles = opponents(replies).styles.reshape(len(MANNERS), len(TYPES), -1)
    assert (styles[..., KNOCK : KNOCK + KNOCK_TURNS] == KNOCK_LIMITS).all()
    picky, greedy = (tuple(one[0, :KNOCK]) for one in styles)
    assert picky == tuple(constants("code", OTHER_TERM)[:KNOCK])
    assert (greedy == picky) == (replies != STRENGTH)


def test_who_takes_many_upcards_is_greedy() -> None:
    view = np.concatenate([asked()[phase] for phase in (DRAWING, DISCARDING)])
    view["style"][:, [OFFERS, TAKES]] = 0
    rows = np.arange(len(view))
    few, many = view.copy(), view.copy()
    for one, takes in ((few, 8), (many, 18)):
        one["style"][:, OFFERS], one["style"][:, TAKES] = 60, takes
    before, after_few, after_many = (taking(one, rows) for one in (view, few, many))
    assert (after_few < 0.3).all() and (after_many > before).all() and after_many.mean() > 0.7
    row = int(np.flatnonzero(view["events"] > 4)[0])
    theirs = [event for event in sight(view, row).log if not event.mine]
    taken = sum(event.took for event in theirs)
    picky, greedy = TAKEN
    slow = np.log(GREEDY_BEFORE / (1 - GREEDY_BEFORE))
    slow += EVIDENCE * taken * np.log(greedy / picky)
    slow += EVIDENCE * (len(theirs) - taken) * np.log((1 - greedy) / (1 - picky))
    assert before[row] == pytest.approx(1 / (1 + np.exp(-slow)))
    manners = draw_manners(many, rows, np.linspace(0, 0.99, len(rows)), 1000)
    assert manners.mean(axis=1) == pytest.approx(after_many, abs=0.02)


def test_the_fast_rule_is_its_formula() -> None:
    p, scratch = rule_style(), np.empty(SCRATCH, np.int64)
    compared = 0
    for seen in asked()[DISCARDING][::3]:
        hand, pile, known, turn = (int(seen[name]) for name in ("hand", "pile", "opponent", "own_turns"))
        card = int(best_fast(hand, int(seen["allowed"]), pile | hand, known, turn, p, scratch))
        left = {c: deadwood(hand ^ 1 << c) for c in range(52) if int(seen["allowed"]) >> c & 1}
        whole = deadwood(hand)
        loose = [c for c in left if left[c] == whole - POINTS[c]] or list(left)
        if min(left[c] for c in loose) == 0:
            assert left[card] == 0
            continue
        unseen = [c for c in range(52) if not (hand | pile | known) >> c & 1]

        def makers(ten: int) -> int:
            return sum(
                any(meld >> c & 1 and not meld & ~(ten | 1 << c) for meld in all_melds(ten | 1 << c))
                for c in unseen
            )

        value = {c: left[c] - 2 * 0.94**turn * makers(hand ^ 1 << c) for c in loose}
        assert card in loose
        assert value[card] <= min(value.values()) + 0.05 * 90  # the opponent term moves a score by little
        compared += 1
    assert compared > 20


def test_a_defence_leaves_the_fewest_points_of_all_melds() -> None:
    rng = np.random.default_rng(5)
    scratch, better = np.empty(SCRATCH, np.int64), 0
    for _ in range(300):
        cards = rng.permutation([c for c in range(52) if c % 13 < 6])  # close together: many melds
        knocker = all_melds(mask_of(cards[10:20].tolist()))[:1]
        if not knocker:
            continue
        hand = mask_of(cards[:10].tolist())
        knocked = np.zeros(4, np.int64)
        knocked[: len(knocker)] = knocker
        out = np.zeros((1, 4), np.int64)
        left = int(best_defence(hand, knocked, scratch, out))
        melds = all_melds(hand)
        sets = [
            chosen
            for n in range(4)
            for chosen in combinations(melds, n)
            if sum(map(points, chosen)) == points(_union(chosen))
            and sum(m.bit_count() for m in chosen) == _union(chosen).bit_count()
        ]
        worths = [defend(hand, chosen, knocker).deadwood for chosen in sets]
        assert left == min(worths)
        assert defend(hand, [int(m) for m in out[0] if m], knocker).deadwood == left
        better += left < defend(hand, _first_best(hand), knocker).deadwood
    assert better > 0


def _union(melds) -> int:
    whole = 0
    for meld in melds:
        whole |= meld
    return whole


def _first_best(hand: int):
    from ginrummy.melds import best_meld_sets

    return best_meld_sets(hand)[0] if best_meld_sets(hand) else ()


# The player.


def test_the_levels_and_their_budgets() -> None:
    assert list(LEVELS) == ["fast", "default", "strong"]
    assert LEVELS["default"].rollouts < LEVELS["strong"].rollouts
    assert make_player("champion:level=strong,gate=2").name == "champion:level=strong,gate=2"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("champion:level=slow", "champion has no level 'slow': choose one of fast, default, strong"),
        ("champion:gate=2,ms=5", "champion: level=fast does not search and takes no ms, gate"),
        ("champion:level=default,price=gold", "champion: price is one of win, points, not 'gold'"),
        ("champion:level=default,rollouts=1", "champion: rollouts is from 2 to 1000000, not 1"),
        ("champion:level=default,worlds=truth", "unknown worlds 'truth': choose one of joint"),
        ("champion:level=default,candidates=12", "champion: candidates is from 1 to 11, not 12"),
        ("champion:level=default,ms=-1", "champion: ms is from 0 to 60000, not -1"),
    ],
)
def test_wrong_settings_are_answered_with_what_is_possible(spec: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        make_player(spec)


def test_other_rules_get_a_search_of_their_own() -> None:
    player = make_player("champion:level=default,rollouts=60,hands=40")
    assert under(make_player("simple"), PRESETS["uk"]).name == "simple"
    for preset in ("uk", "straight"):
        made = under(player, PRESETS[preset])
        assert made.name == player.name
        assert made.draw.__self__.rules == PRESETS[preset]


# Advice.


@pytest.mark.parametrize("phase", [DRAWING, DISCARDING, KNOCKING])
def test_advice_has_every_legal_answer_with_chances_that_add_up(phase: int) -> None:
    view = asked()[phase]
    row = 5
    advice = advise(adviser(settings=Settings(rollouts=2000, hands=100)), view, row)
    assert advice.question == {DRAWING: "draw", DISCARDING: "discard", KNOCKING: "knock"}[phase]
    if phase == DISCARDING:
        assert {o.answer for o in advice.options} == {
            c for c in range(52) if int(view[row]["allowed"]) >> c & 1
        }
    else:
        assert {o.answer for o in advice.options} == {0, 1}
    assert advice.best.behind == (0, 0)
    assert [o.win.value for o in advice.options] == sorted(
        (o.win.value for o in advice.options), reverse=True
    )
    for option in advice.options:
        assert 0 <= option.win.value <= 1
        assert option.behind.value == pytest.approx(option.win.value - advice.best.win.value)
        assert sum(vars(option.ends).values()) == pytest.approx(1)
        assert 0 <= option.win.error < 0.1
    assert advice.played in advice.options
    assert advice.blueprint in advice.options
    assert sum(advice.types.values()) == pytest.approx(1)
    assert sum(advice.cards) == pytest.approx(10)
    assert all(advice.cards[c] == 0 for c in range(52) if int(view[row]["hand"] | view[row]["pile"]) >> c & 1)
    assert advice.worlds * len(advice.options) == advice.rollouts <= 2000


def test_errors_of_advice_shrink_with_the_budget() -> None:
    view = asked()[DISCARDING]
    few, many = (advise(adviser(settings=Settings(rollouts=n, hands=300)), view, 3) for n in (1000, 9000))
    narrow = {(o.answer, o.knock): o for o in many.options}
    for option in few.options:
        better = narrow[option.answer, option.knock]
        assert better.win.error < 0.5 * option.win.error or option.win.error == 0
        assert abs(better.win.value - option.win.value) < 5 * option.win.error + 1e-9


def test_the_odds_after_a_knock_are_those_of_the_hands() -> None:
    """A knock is a showdown: its odds are the weighted share of hands that it beats."""
    view = asked()[KNOCKING]
    row = next(k for k in range(len(view)) if deadwood(int(view[k]["hand"])) > 0)
    search = adviser(settings=Settings(rollouts=4000, hands=40))
    advice = advise(search, view, row)
    knock = next(o for o in advice.options if o.knock)
    found = search.belief.sample(view, np.array([row]), np.array([0.5]), 40)
    hand, there = int(view[row]["hand"]), DECK & ~int(view[row]["hand"] | view[row]["pile"])
    from ginrummy.melds import best_meld_sets, extensions

    laid = min(best_meld_sets(hand), key=lambda melds: points(_union(map(extensions, melds)) & there))
    lost = [
        defend(int(other), best_meld_sets(int(other))[0] if best_meld_sets(int(other)) else (), laid).deadwood
        <= deadwood(hand)
        for other in found.hands[0]
    ]
    share = float(found.weights[0] @ np.array(lost))
    assert knock.ends.knock + knock.ends.undercut == pytest.approx(1)
    assert knock.ends.undercut == pytest.approx(share, abs=0.02)


def test_a_sight_is_advised_like_its_row() -> None:
    for phase in (DRAWING, DISCARDING, KNOCKING):
        view = asked()[phase]
        seen = sight(view, 7)
        assert question_of(as_view(seen), 0) == question_of(view, 7) == phase
        search = adviser(settings=SMALL)
        assert advise(search, seen) == advise(search, view, 7)


# The ablation.


def test_every_arm_of_the_ablation_plays_and_the_truth_knows_the_hand() -> None:
    shard = Shard(EAAI._replace(max_rounds=1), 5, range(2))
    for arm in ("network alone", "uniform worlds (floor)", "true hand (ceiling)", "priced by points"):
        assert ablation.count_wins(ablation.Duel(arm, "simple"), shard)["games"] == 2
    held: list[bool] = []

    class Asked(Truth):
        def sample(self, view, rows, u, n):
            found = super().sample(view, rows, u, n)
            if self.shown:
                held.extend((found.hands == self.shown[0]["hand"][rows][:, None]).all(axis=1).tolist())
            return found

    first, second = peeking({"level": "default", "rollouts": 40}, make_player("simple"), Asked)
    sim.play(first, second, range(4), shard.rules, 5)
    assert len(held) > 20 and all(held)
