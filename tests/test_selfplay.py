"""Learning by self-play: what the networks are told, what they learn, and that a training continues."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from ginrummy import sim
from ginrummy.cards import CARDS
from ginrummy.equity import win_chances
from ginrummy.errors import BadInput
from ginrummy.melds import all_melds
from ginrummy.players.champion import card_belief
from ginrummy.players.registry import make_player, player_names
from ginrummy.policies import champion
from ginrummy.policies.champion import CARD_INPUTS, DISCARD, DRAW, INPUTS, NUMBERS, PLANES, SUIT_INPUTS
from ginrummy.rules import EAAI, PRESETS
from ginrummy.tables import DISCARD_PHASE, DRAW_PHASE, KNOCK_PHASE, new_tables
from ginrummy.training.selfplay import champion as recipe
from ginrummy.training.selfplay import state
from ginrummy.training.selfplay.arena import Arena, Experience, Law, Opponent, seats, spread_laws
from ginrummy.training.selfplay.forward import think
from ginrummy.training.selfplay.forward import weights as weights_of
from ginrummy.training.selfplay.kernels import (
    GAMES,
    KNOCK,
    ROUNDS,
    SCALE,
    TAKE,
    advantages,
    say_blueprint,
    skip,
)
from ginrummy.training.selfplay.learner import Learner, Settings, batches_of
from ginrummy.training.selfplay.nets import Actor, Asked, Critic
from ginrummy.training.selfplay.pool import KEPT_OUT, REGISTERED, PastSelf, due
from ginrummy.training.selfplay.privileged import SECRETS
from ginrummy.training.selfplay.rows import GROUP, ROOM, Packed, pack_secrets, pack_view
from ginrummy.view import read_only

TUNED = make_player("hand-strength:profile=tuned")
PHASES = {DRAW: DRAW_PHASE, DISCARD: DISCARD_PHASE, champion.KNOCK: KNOCK_PHASE}


@pytest.fixture(scope="module")
def asked() -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Views of one side and the rows that wait, for each question, taken from games under way."""
    found: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    batch = new_tables(400, range(400))
    lockstep = sim.Lockstep((TUNED, TUNED), batch, EAAI, 5)
    lockstep.begin()
    given = lockstep.ask

    def ask(side: int, phase: int, name: str, rows: np.ndarray) -> np.ndarray:
        for question, other in PHASES.items():
            if phase == other and side == 0 and batch.first["turns"][rows].max() > 8 and len(rows) > 20:
                found.setdefault(question, (batch.first.copy(), rows.copy()))
        return given(side, phase, name, rows)

    lockstep.ask = ask  # type: ignore[method-assign]
    lockstep.run(np.zeros(400, sim.GAME), record=False)
    assert set(found) == set(PHASES)
    return found


def encoded(
    view: np.ndarray, rows: np.ndarray, question: int, believed: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Which decisions are open, and the inputs of those; without a belief it is 0 for all cards."""
    open_ = np.zeros(len(rows), np.bool_)
    champion.open_rows(view, rows, question, open_)
    asked, x = rows[open_], np.full((open_.sum(), INPUTS), np.nan, np.float32)
    beliefs = card_belief().cards(view, asked) if believed else np.zeros((len(asked), CARDS), np.float32)
    scratch = np.empty(champion.SCRATCH, np.int64)
    champion.encode_rows(view, asked, question, TUNED.compiled.array, beliefs, scratch, x)
    return open_, x


def plane(x: np.ndarray, number: int) -> np.ndarray:
    """[N, 52] numbers of a plane, in the order of the cards."""
    return x[:, :CARD_INPUTS].reshape(-1, 4, PLANES, 13)[:, :, number].reshape(-1, CARDS)


def bits(masks: np.ndarray) -> np.ndarray:
    return masks[:, None] >> np.arange(CARDS) & 1


def test_planes_say_what_the_view_says(asked) -> None:
    for question, (view, rows) in asked.items():
        open_, x = encoded(view, rows, question)
        seen = view[rows[open_]]
        assert np.isfinite(x).all()
        assert (plane(x, champion.HELD) == bits(seen["hand"])).all()
        assert (plane(x, champion.TAKEN) == bits(seen["opponent"])).all()
        piles = [plane(x, k) > 0 for k in (champion.THROWN, champion.REFUSED, champion.BURIED)]
        assert ((piles[0] | piles[1] | piles[2]) == bits(seen["pile"])).all()
        assert (plane(x, champion.SHOWN) <= bits(seen["hand"])).all()
        assert (x[:, CARD_INPUTS + champion.USED_NUMBERS :] == 0).all()  # spare numbers
        assert x[:, CARD_INPUTS + champion.STOCK] * 31 == pytest.approx(seen["stock"])


def test_the_belief_is_among_the_inputs(asked) -> None:
    for question, (view, rows) in asked.items():
        open_, x = encoded(view, rows, question)
        seen, belief = view[rows[open_]], card_belief().cards(view, rows[open_])
        known, gone = bits(seen["opponent"]), bits(seen["hand"] | seen["pile"])
        assert (belief[known == 1] == 1).all() and (belief[gone == 1] == 0).all()
        assert belief.sum(1) == pytest.approx(10, abs=0.05)
        assert (plane(x, champion.BELIEVED) == np.where(known | gone, 0, belief)).all()
        danger = plane(x, champion.DANGER)
        for row in range(0, len(seen), 5):
            held = int(seen["hand"][row]) | (1 << int(seen["top"][row]) if seen["top"][row] >= 0 else 0)
            for card in range(CARDS):
                melds = [
                    meld & ~(1 << card) for meld in all_melds() if meld >> card & 1 and meld.bit_count() == 3
                ]
                pairs = [np.flatnonzero(bits(np.array([pair]))[0]) for pair in melds]
                expected = sum(belief[row, a] * belief[row, b] for a, b in pairs) * (held >> card & 1)
                assert danger[row, card] == pytest.approx(expected, abs=1e-5)


def test_the_blueprint_is_among_the_inputs(asked) -> None:
    view, rows = asked[DISCARD]
    _, x = encoded(view, rows, DISCARD)
    cards = TUNED.discard(view, rows, np.full(len(rows), 0.5))
    scores = np.where(bits(view["allowed"][rows]) == 1, plane(x, champion.SCORE), np.inf)
    assert (scores[np.arange(len(rows)), cards] == scores.min(1)).all()
    for question, place, decide in (
        (DRAW, champion.TAKES, TUNED.draw),
        (champion.KNOCK, champion.KNOCKS, TUNED.knock),
    ):
        view, rows = asked[question]
        open_, x = encoded(view, rows, question)
        answers = decide(view, rows[open_], np.full(open_.sum(), 0.5))
        assert ((x[:, CARD_INPUTS + place] > 0) == answers).all()
        settled = decide(view, rows[~open_], np.full((~open_).sum(), 0.5))
        assert (settled == bool(champion.settled(question))).all()


def test_a_new_actor_answers_as_the_blueprint(asked) -> None:
    """With no training, the most likely answers are the blueprint's."""
    actor = Actor(16, 2)
    view, rows = asked[DISCARD]
    _, x = encoded(view, rows, DISCARD)
    with torch.no_grad():
        logits = actor(torch.from_numpy(x)).numpy()
    allowed = bits(view["allowed"][rows]) == 1
    best = np.where(allowed, logits[:, :CARDS], -np.inf).argmax(1)
    scores = np.where(allowed, plane(x, champion.SCORE), np.inf)
    assert (scores[np.arange(len(rows)), best] == scores.min(1)).all()
    view, rows = asked[champion.KNOCK]
    _, x = encoded(view, rows, champion.KNOCK)
    with torch.no_grad():
        logits = actor(torch.from_numpy(x)).numpy()
    assert ((logits[:, KNOCK] > 0) == (x[:, CARD_INPUTS + champion.KNOCKS] > 0)).all()


def test_renaming_suits_renames_the_answers() -> None:
    torch.manual_seed(3)
    actor, order = Actor(16, 3), [2, 0, 3, 1]
    for parameter in actor.parameters():
        torch.nn.init.normal_(parameter, 0, 0.2)
    x = torch.randn(5, INPUTS)
    renamed = x.clone()
    renamed[:, :CARD_INPUTS] = x[:, :CARD_INPUTS].view(5, 4, SUIT_INPUTS)[:, order].reshape(5, CARD_INPUTS)
    with torch.no_grad():
        ours, theirs = actor(x), actor(renamed)
    for start in (0, CARDS + 2):
        cards = ours[:, start : start + CARDS].view(5, 4, 13)[:, order].reshape(5, CARDS)
        assert torch.allclose(cards, theirs[:, start : start + CARDS], atol=1e-5)
    assert torch.allclose(ours[:, TAKE : KNOCK + 1], theirs[:, TAKE : KNOCK + 1], atol=1e-5)


def test_only_the_critic_takes_secrets() -> None:
    """The shipped network has one input, which the view alone fills; the critic has two."""
    assert Actor(8, 2).trunk.suits[0].in_features == SUIT_INPUTS
    assert Actor(8, 2).trunk.shared[0].in_features == SUIT_INPUTS + NUMBERS
    x, y = torch.zeros(3, INPUTS), torch.rand(3, SECRETS)
    critic = Critic(8, 2)
    torch.nn.init.normal_(critic.value.weight)
    assert not torch.equal(critic(x, y), critic(x, torch.zeros_like(y)))


def test_advantages_are_those_of_a_slow_twin() -> None:
    rng = np.random.default_rng(1)
    after = np.array([2, 3, 4, -1, -1, 6, -1, -1])
    done = np.array([False, False, False, True, True, False, False, True])
    reward, values = rng.normal(size=8).astype(np.float32) * done, rng.normal(size=8)
    gains, valid = np.zeros(8), np.zeros(8, np.bool_)
    advantages(np.ones(8, np.bool_), after, np.ones(8, np.int64), done, reward, values, 0.9, gains, valid)

    def slow(n: int) -> float:
        if done[n]:
            return float(reward[n] - values[n])
        k = after[n]
        ends = done[k] or after[k] >= 0
        return float(values[k] - values[n] + (0.9 * slow(k) if ends else 0))

    assert valid.tolist() == [True, True, True, True, True, True, False, True]
    assert all(gains[n] == pytest.approx(slow(n)) for n in range(8) if valid[n])


def test_sure_decisions_are_skipped() -> None:
    """Kept decisions point to the next kept one; the reward moves to the last kept one."""
    kept = np.array([True, False, False, True, False, True, False])
    after = np.array([1, 2, 3, 4, -1, 6, -1])  # one finished round, and one under way
    done = np.array([False, False, False, False, True, False, False])
    reward = np.where(done, np.float32(2), np.float32(0))
    hops = np.zeros(7, np.int64)
    skip(kept, after, done, reward, hops)
    assert after[kept].tolist() == [3, -1, -1] and hops[0] == 3
    assert done[kept].tolist() == [False, True, False] and reward[kept].tolist() == [0, 2, 0]
    gains, valid, values = np.zeros(7), np.zeros(7, np.bool_), np.arange(7.0)
    advantages(kept, after, hops, done, reward, values, 0.5, gains, valid)
    assert valid.tolist() == [True, False, False, True, False, False, False]
    assert gains[3] == 2 - 3 and gains[0] == pytest.approx(3 - 0 + 0.5**3 * gains[3])


def packed_rows(dense: np.ndarray, secrets: np.ndarray) -> Packed:
    packed = Packed.room(len(dense))
    end = 0
    for n, (x, y) in enumerate(zip(dense, secrets, strict=True)):
        middle = pack_view(x, x.view(np.int32), end, packed.spots, packed.values)
        packed.ends[n] = end, middle, pack_secrets(y, y.view(np.int32), middle, packed.spots, packed.values)
        end = int(packed.ends[n, 2])
    return packed


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    """Inputs with as many zeros as real ones have."""
    rng = np.random.default_rng(4)
    return tuple(
        np.where(rng.random((70, size)) < 0.1, rng.normal(size=(70, size)), 0).astype(np.float32)
        for size in (INPUTS, SECRETS)
    )


def test_packed_rows_give_the_networks_what_dense_ones_give(rows) -> None:
    """The same values, up to the precision of training; so are the slopes of all weights."""
    x, y = rows
    packed = packed_rows(x, y)
    asked = Asked(packed, np.arange(len(x)))
    torch.manual_seed(1)
    actor, critic = Actor(16, 3), Critic(16, 3)
    for parameter in (*actor.parameters(), *critic.parameters()):
        torch.nn.init.normal_(parameter, 0, 0.2)
    blueprint = np.zeros((len(x), 54), np.float32)
    for n in range(len(x)):
        say_blueprint(x[n], blueprint[n])
    logits, opponent = actor.learn(asked, torch.from_numpy(blueprint))
    dense = actor(torch.from_numpy(x))
    assert torch.allclose(torch.cat([logits, opponent], 1), dense, atol=0.1, rtol=0.03)
    assert torch.equal(logits, actor.think(asked, torch.from_numpy(blueprint)))
    exact = think(weights_of(actor), packed, blueprint, len(x))
    assert np.allclose(exact, dense[:, :54].detach().numpy(), atol=1e-4)
    values = critic.judge(asked)
    plain = critic(torch.from_numpy(x), torch.from_numpy(y))
    assert torch.allclose(values, plain, atol=0.1, rtol=0.03)
    for network, fast, slow in (
        (actor, (logits**2).sum() + (opponent**2).sum(), (dense**2).sum()),
        (critic, (values**2).sum(), (plain**2).sum()),
    ):
        ours = torch.autograd.grad(fast, list(network.parameters()))
        theirs = torch.autograd.grad(slow, list(network.parameters()))
        for one, other in zip(ours, theirs, strict=True):
            assert float((one - other).norm()) < 0.1 * float(other.norm())


def test_a_packed_row_holds_every_number_once(rows) -> None:
    x, y = rows
    packed = packed_rows(x, y)
    for n in range(5):
        start, middle, end = packed.ends[n]
        assert (middle - start) % GROUP == 0 and end - start <= ROOM
        spots, values = packed.spots[start:middle].astype(int), packed.values[start:middle]
        places, suits = spots >> 3, spots & 7
        where = np.where(suits < 4, SUIT_INPUTS * suits + places, CARD_INPUTS + places - SUIT_INPUTS)
        back = np.zeros(INPUTS, np.float32)
        back[where[values != 0]] = values[values != 0]
        assert (back == x[n]).all()


def test_seats_follow_the_shares() -> None:
    who = seats([0.25, 0.5], 8)
    assert who.tolist() == [1, 1, 2, 2, 2, 2, 0, 0]


def test_the_arena_pays_the_change_of_the_chance_to_win() -> None:
    pool = [Opponent(make_player("simple"), 0.5)]
    arena = Arena(
        pool, TUNED.compiled, [Law("eaai", EAAI, 1, win_chances(EAAI))], 7, tables=16, decisions=3000
    )
    learner = Learner(Settings(width=8, depth=2), 1)
    size = arena.gather(learner.think)
    kept = arena.kept
    ends = np.flatnonzero(kept.done[:size])
    assert size >= 3000 and len(ends) > 50
    assert (kept.reward[:size][~kept.done[:size]] == 0).all()
    assert 0 < np.abs(kept.reward[ends]).max() <= SCALE
    assert (kept.after[ends] == -1).all()  # nothing of the same round comes later
    assert (kept.log_chance[:size] <= 0).all()
    later = kept.after[:size]
    assert (later[later >= 0] > np.flatnonzero(later >= 0)).all()
    allowed = bits(kept.mask[:size])
    cards = kept.question[:size] == DISCARD
    assert (allowed[cards, kept.action[:size][cards]] == 1).all()
    assert arena.results[:, ROUNDS].min() > 0 and arena.results[1, GAMES] > 0


def test_chances_of_rewarded_answers_rise() -> None:
    """Every knock is rewarded and every refusal punished: the learner comes to knock."""
    how = Settings(width=8, depth=2, critic_batch=64, actor_batch=64, warm_steps=0, rate=1e-3)
    learner = Learner(how, 1)
    size = 256
    kept = Experience.room(size)
    rng = np.random.default_rng(2)
    x = (rng.random((size, INPUTS)) * 0.1 * (rng.random((size, INPUTS)) < 0.2)).astype(np.float32)
    for ours, packed in zip(kept.packed, packed_rows(x, np.zeros((size, SECRETS), np.float32)), strict=True):
        ours[:] = packed
    kept.question[:], kept.done[:], kept.after[:] = champion.KNOCK, True, -1
    kept.action[:] = rng.integers(0, 2, size)
    kept.reward[:] = kept.action * 2 - 1

    def logits() -> np.ndarray:
        return learner.think(kept.packed, np.arange(size), kept.blueprint)[:, KNOCK].astype(np.float64)

    def chance() -> float:
        return float((1 / (1 + np.exp(-logits()))).mean())

    before = chance()
    for _ in range(10):
        yes = 1 / (1 + np.exp(-logits()))
        kept.log_chance[:] = np.log(np.maximum(np.where(kept.action == 1, yes, 1 - yes), 1e-12))
        learner.learn(kept, size)
    assert chance() > before + 0.1
    assert learner.steps == 10 and learner.decisions == 10 * size


def test_batches_are_whole() -> None:
    assert [part.tolist() for part in batches_of(np.arange(7), 3)] == [[0, 1, 2], [3, 4, 5]]
    assert [len(part) for part in batches_of(np.arange(2), 3)] == [2]


def test_laws_are_spread_over_some_opponents() -> None:
    who = np.repeat([1, 2, 0], [40, 20, 40])
    laws = spread_laws(who, [0, 1], [0.1, 0.05])
    assert [(laws == k).sum() for k in range(3)] == [85, 10, 5]
    assert (laws[who == 2] == 0).all() and {0, 1} <= set(who[laws == 1])


def test_other_rules_are_played_and_told() -> None:
    """Tables with other rules keep to them, and the learner is told which they are."""
    names = ("eaai", "uk", "straight", "oklahoma", "us-boxes")
    rules = [Law(name, PRESETS[name], 0.2, win_chances(PRESETS[name])) for name in names]
    pool = [Opponent(make_player("simple"), 0.5, other_rules=True)]
    arena = Arena(pool, TUNED.compiled, rules, 7, tables=40, decisions=4000)
    size = arena.gather(Learner(Settings(width=8, depth=2), 1).think)
    assert arena.names[2:] == [f"pool under {name}" for name in names[1:]]
    assert (arena.results[:, ROUNDS] > 0).all()
    packed, told = arena.kept.packed, {}
    for n in range(size):
        part = slice(packed.ends[n, 0], packed.ends[n, 1])
        spots, values = packed.spots[part], packed.values[part]
        numbers = {
            int(spot >> 3) - SUIT_INPUTS: float(value) for spot, value in zip(spots, values, strict=True)
        }
        for name in ("GIN_ONLY", "GIN_WORTH", "UNDERCUT_WORTH", "BIG_GIN", "BEST_DEFENCE", "EARLIER"):
            told.setdefault(name, set()).add(round(numbers.get(getattr(champion, name), 0.0), 3))
    assert told["GIN_WORTH"] == {0, 0.5} and told["UNDERCUT_WORTH"] == {0, 1.5}
    assert told["GIN_ONLY"] == told["BIG_GIN"] == told["BEST_DEFENCE"] == {0, 1}
    assert len(told["EARLIER"]) > 3


def test_style_and_rules_are_zero_where_nothing_is_special(asked) -> None:
    """In the first round under the challenge's rules the encoder tells what it told before it knew of them."""
    for question, (view, rows) in asked.items():
        first = view["style"][rows, 0] == 0
        _, plain = encoded(view, rows[first], question, believed=False)
        assert (plain[:, CARD_INPUTS + champion.EARLIER :] == 0).all()
        later = rows[~first]
        if len(later):
            _, x = encoded(view, later, question, believed=False)
            assert (x[:, CARD_INPUTS + champion.EARLIER] > 0).all()
            assert (x[:, CARD_INPUTS + champion.LIMIT :] == 0).all()


def test_past_selves_are_renewed_at_their_times() -> None:
    assert due(7_999_999, 8_000_000) == [0] and due(31_999_999, 32_000_001) == [0, 1]
    assert due(8_000_000, 8_100_000) == []


def test_a_past_self_is_a_player(asked) -> None:
    past = PastSelf("past", Actor(8, 2), TUNED.compiled)
    view, rows = asked[DISCARD]
    u = np.full(len(rows), 0.999999)
    cards = past.player.discard(read_only(view), rows, u)
    assert (view["allowed"][rows] >> cards & 1 == 1).all()
    result = sim.play(past.player, TUNED, range(4), EAAI, 1)
    assert (result.games["score"].max(1) >= 100).all()


def test_the_pool_keeps_the_test_players_out() -> None:
    for spec in REGISTERED:
        assert make_player(spec) and spec.partition(":")[0] not in KEPT_OUT
    assert set(KEPT_OUT) <= set(player_names())
    assert sum(REGISTERED.values()) < 0.8


SIZE = recipe.SCALES["smoke"]._replace(step=600, decisions=2400, window=1)


def weights(training: recipe.Training) -> dict[str, torch.Tensor]:
    return training.learner.average.state_dict() | training.learner.critic.state_dict()


def test_a_training_continues_to_the_bit(tmp_path: Path) -> None:
    file = tmp_path / "state.npz"
    first = recipe.Training(SIZE, 1, file)
    first.run(1200)
    again = recipe.Training(SIZE, 1, file)
    assert again.learner.decisions == first.learner.decisions
    again.run(2400)
    whole = recipe.Training(SIZE, 1, None)
    whole.run(2400)
    assert whole.learner.decisions == again.learner.decisions and len(whole.curve) == len(again.curve)
    ours, theirs = weights(again), weights(whole)
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert [one["opponents"] for one in whole.curve] == [one["opponents"] for one in again.curve]
    other = SIZE._replace(settings=replace(SIZE.settings, rate=0.1))
    with pytest.raises(BadInput, match=r"another training.*--changed"):
        recipe.Training(other, 1, file)
    narrower = SIZE._replace(settings=replace(SIZE.settings, width=8))
    with pytest.raises(BadInput, match="another training"):
        recipe.Training(narrower, 1, file, changed=True)
    changed = recipe.Training(other, 1, file, changed=True)
    assert changed.learner.decisions == again.learner.decisions
    assert changed.changes == [{"decisions": again.learner.decisions, "before": again.identity}]
    ours = weights(changed)
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    file.write_bytes(b"no state")
    with pytest.raises(BadInput, match="not the state of a training"):
        recipe.Training(SIZE, 1, file)


def test_a_wider_network_begins_with_the_same_answers(tmp_path: Path) -> None:
    file = tmp_path / "state.npz"
    before = recipe.Training(SIZE, 1, file)
    before.run(1200)
    how = replace(SIZE.settings, width=32)
    after = recipe.Training(SIZE._replace(settings=how), 1, file, changed=True)
    rng = np.random.default_rng(1)
    x, y = (torch.from_numpy(rng.random((9, size)).astype(np.float32)) for size in (INPUTS, SECRETS))
    with torch.no_grad():
        for ours, theirs in zip(_answers_of(before, x, y), _answers_of(after, x, y), strict=True):
            assert torch.allclose(ours, theirs, atol=1e-5)
    start = {key: one.clone() for key, one in after.learner.actor.state_dict().items()}
    after.run(after.learner.decisions + 600)
    first = after.learner.actor.state_dict()["trunk.suits.1.weight"]
    assert (
        first[:16, 16:] != start["trunk.suits.1.weight"][:16, 16:]
    ).any()  # old features learn to read new ones


def test_a_training_goes_on_with_new_planes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was learned with fewer planes is kept: the answers do not change, and the new planes are read."""
    file = tmp_path / "state.npz"
    training = recipe.Training(SIZE, 1, file)
    training.run(1200)
    fewer = PLANES - 2
    kept = state.read(file)
    columns = np.r_[0 : 13 * fewer, 13 * PLANES : 10_000]
    for name, array in kept.arrays.items():
        if array.ndim == 2 and array.shape[1] > 13 * PLANES - 1 and not name.startswith("arena"):
            kept.arrays[name] = np.ascontiguousarray(array[:, columns[columns < array.shape[1]]])
    kept.facts["identity"]["inputs"] = CARDS * fewer + NUMBERS
    again = recipe.Training(SIZE, 1, None)
    state.fill(kept, again.learner, again.past, champion.USED_NUMBERS)
    x = torch.from_numpy(np.random.default_rng(1).random((9, INPUTS)).astype(np.float32))
    cards = x[:, :CARD_INPUTS].view(-1, 4, PLANES, 13)
    cards[:, :, fewer:] = 0
    y = torch.rand((9, SECRETS), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        told = _answers_of(again, x, y)
        for ours, theirs in zip(told, _answers_of(training, x, y), strict=True):
            assert torch.allclose(ours, theirs, atol=1e-5)
        cards[:, :, fewer:] = 1
        assert all(
            torch.equal(ours, theirs) for ours, theirs in zip(told, _answers_of(again, x, y), strict=True)
        )
    again.run(again.learner.decisions + 600)
    learned = again.learner.actor.state_dict()["trunk.suits.0.weight"][:, 13 * fewer :]
    assert (learned != 0).any()


def _answers_of(training: recipe.Training, x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    learner = training.learner
    actors = learner.actor, learner.average, *(one.actor for one in training.past)
    return [*(one(x) for one in actors), learner.critic(x, y)]


def test_the_exported_network_is_the_averaged_actor() -> None:
    from ginrummy.networks import Network

    training = recipe.Training(SIZE, 2, None)
    training.run(1200)
    x = np.random.default_rng(1).random((7, INPUTS)).astype(np.float32)
    with torch.no_grad():
        expected = training.learner.average(torch.from_numpy(x)).numpy()
    assert np.allclose(Network("champion", training.network())(x), expected, atol=1e-5)


def test_the_state_in_the_repository_is_that_of_the_shipped_network() -> None:
    from ginrummy.networks import network

    kept = state.read(Path(__file__).parent.parent / "training/champion-state.npz")
    shipped, x = network("champion.onnx"), np.random.default_rng(1).random((5, INPUTS)).astype(np.float32)
    planes = champion.planes_of(shipped.columns)
    assert kept.facts["identity"]["inputs"] == shipped.columns
    x[:, :CARD_INPUTS].reshape(5, 4, PLANES, 13)[:, :, planes:] = 0
    with torch.no_grad():
        expected = state.averaged(kept)(torch.from_numpy(x)).numpy()
    assert np.allclose(shipped(champion.first_planes(x, planes)), expected, atol=1e-4)


def test_a_specialist_meets_one_player_and_starts_from_the_same_state(tmp_path: Path) -> None:
    file = tmp_path / "state.npz"
    first = recipe.Training(SIZE, 1, file)
    first.run(600)
    first.save()
    response = recipe.Training(SIZE, 1, file, changed=True, against="champion:level=fast")
    assert response.names == ["itself", "champion"]
    assert (response.arena.who == 1).all()
    ours, theirs = weights(response), weights(first)
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    before = response.learner.decisions
    response.run(before + 600)
    assert response.learner.decisions > before
    assert set(response.curve[-1]["opponents"]) == {"itself", "champion"}
