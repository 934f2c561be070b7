"""Players that follow games: the same games as a pure twin, the challenge's order of calls, forfeits."""

import numpy as np
import pytest

from following_players import Rule, Sitting, twin
from ginrummy import following, sim, tournament
from ginrummy.cards import mask_of
from ginrummy.errors import BadInput
from ginrummy.following import REASONS, Forfeit
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI, PRESETS, parse_rules

GAMES = range(4, 24)


@pytest.mark.parametrize("batch", [1, 7, 64])
def test_a_follower_plays_the_games_of_its_pure_twin(batch: int) -> None:
    simple, pure = make_player("simple"), twin()
    run = following.play(Sitting(), simple, GAMES, EAAI, 3, record=True, batch=batch)
    assert (run.games == sim.play(pure, simple, GAMES, EAAI, 3).games).all()
    assert (run.forfeits == following.NOBODY).all() and len(run.rounds) == run.games["outcomes"].sum()
    both = following.play(Sitting(), Sitting(), GAMES, EAAI, 3, batch=batch)
    assert (both.games == sim.play(pure, pure, GAMES, EAAI, 3).games).all()


def test_each_game_has_a_follower_of_its_own_and_pairs_are_apart() -> None:
    player = Sitting()
    following.play(make_player("simple"), player, GAMES, EAAI, 3)
    games = [follower.game for follower in player.followers]
    assert sorted(games) == list(GAMES)
    assert [game % 2 for game in games] == [0] * 10 + [1] * 10


def expected(round_: np.void, side: int, scores: list[int]) -> list[tuple[object, ...]]:
    """What a side is told and asked in a recorded round, by the order of the challenge's program."""
    seat0, starter = int(round_["seat"]), int(round_["seat"] ^ round_["starter"])
    seat = seat0 ^ side
    deck, log = round_["deck"].tolist(), round_["log"][side, : round_["events"]].tolist()
    calls: list[tuple[object, ...]] = [("deal", seat, starter, tuple(deck[10 * seat : 10 * seat + 10]))]
    passes = sum(event[2] == -2 for event in log)
    for place, (who, upcard, drawn, discard) in enumerate(log):
        mover = seat if who == 0 else 1 - seat
        if mover == seat and not (passes == 2 and place == 2):
            calls.append(("wants", upcard))
        if drawn == -2:
            continue
        calls.append(("drew", mover, drawn))
        if mover == seat:
            calls.append(("discard",))
        calls.append(("discarded", mover, discard))
        if mover == seat:
            calls.append(("melds",))
    hands = final_hands(round_)
    if round_["knocker"] >= 0:
        knocker = seat0 ^ int(round_["knocker"])
        calls.append(("melded", knocker))
        if knocker != seat:
            calls.append(("melds",))
        calls.append(("melded", 1 - knocker))
        calls.append(("layoffs",))
    calls += [("shown", 0, hands[0]), ("shown", 1, hands[1]), ("scored", *scores)]
    return calls


def final_hands(round_: np.void) -> list[list[int]]:
    deck, hands = round_["deck"].tolist(), []
    for seat in (0, 1):
        hand = deck[10 * seat : 10 * seat + 10]
        for who, _, drawn, discard in round_["log"][seat ^ round_["seat"], : round_["events"]].tolist():
            if who == 0 and drawn != -2:
                hand.append(drawn)
                hand.remove(discard)
        hands.append(hand)
    return hands


def without_melds(calls: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """The same calls with melds cut off, and one entry for all layoffs of a knock, also for none."""
    found: list[tuple[object, ...]] = []
    for call in calls:
        if call[0] == "melded":
            found.append(call[:2])
            if len(found) > 1 and any(c[0] == "melded" for c in found[-3:-1]):
                found.append(("layoffs",))
        elif call[0] != "laid_off":
            found.append(call)
    return found


def test_calls_come_in_the_order_of_the_challenge() -> None:
    first, second = Sitting(), Sitting()
    run = following.play(first, second, GAMES, EAAI, 3, record=True)
    told = {(side, f.game): f.calls for side, player in enumerate((first, second)) for f in player.followers}
    want: dict[tuple[int, int], list[tuple[object, ...]]] = {key: [] for key in told}
    scores = {game: [0, 0] for game in GAMES}
    for round_ in run.rounds:
        game, gain, seat = int(round_["game"]), int(round_["points"]), int(round_["seat"])
        scores[game][seat if gain > 0 else 1 - seat] += abs(gain)
        for side in (0, 1):
            want[side, game] += expected(round_, side, scores[game])
    for key, calls in told.items():
        assert without_melds(calls) == want[key]


def test_melds_and_layoffs_are_told_as_they_were_laid() -> None:
    player = Sitting()
    run = following.play(player, make_player("simple"), range(40), EAAI, 3, record=True)
    by_game: dict[int, list[tuple[object, ...]]] = {f.game: f.calls for f in player.followers}
    layoffs = chains = 0
    for game, calls in by_game.items():
        rounds = [r for r in run.rounds if r["game"] == game and r["knocker"] >= 0]
        at = [k for k, call in enumerate(calls) if call[0] == "scored"]
        starts = [0, *(k + 1 for k in at)]
        parts = [calls[a:b] for a, b in zip(starts, at, strict=False)]
        knocked = [part for part in parts if any(call[0] == "melded" for call in part)]
        for round_, part in zip(rounds, knocked, strict=True):
            seat, knocker = int(round_["seat"]), int(round_["seat"] ^ round_["knocker"])
            (_, who, melds), (_, other, theirs) = [call for call in part if call[0] == "melded"]
            assert (who, other) == (knocker, 1 - knocker)
            for s, laid in ((knocker, melds), (1 - knocker, theirs)):
                assert [mask_of(m) for m in laid] == [m for m in round_["spread"][seat ^ s].tolist() if m]
            for _, who, card, meld in (call for call in part if call[0] == "laid_off"):
                assert who == 1 - knocker and card not in meld
                layoffs += 1
                chains += meld not in melds
    assert layoffs > 50 and chains > 3


def cheat(**methods):
    return type("Cheat", (Rule,), methods)


CHEATS = {
    "illegal discard": [
        cheat(discard=lambda self: next(c for c in range(52) if not self.hand >> c & 1)),
        cheat(discard=lambda self: -1),
        cheat(wants=lambda self, card: setattr(self, "top", card) or True, discard=lambda self: self.top),
    ],
    "illegal melds": [
        cheat(melds=lambda self: [[0, 20]]),
        cheat(melds=lambda self: [[]]),
        cheat(melds=lambda self: [[-1, 0, 1]]),
        cheat(melds=lambda self: None),
    ],
    "knock above the limit": [cheat(melds=lambda self: [])],
}


@pytest.mark.parametrize(
    "reason, kind",
    [pytest.param(r, k, id=f"{r} {n}") for r, kinds in CHEATS.items() for n, k in enumerate(kinds)],
)
def test_an_illegal_move_forfeits_the_game(reason: str, kind, caplog: pytest.LogCaptureFixture) -> None:
    simple = make_player("simple")
    for side, pair in enumerate([(Sitting(kind, reason), simple), (simple, Sitting(kind, reason))]):
        run = following.play(*pair, range(6), EAAI, 3)
        lost = run.forfeits == side
        assert lost.any() and (run.forfeits[~lost] == following.NOBODY).all()
        assert {REASONS[r] for r in run.reasons[lost]} == {reason}
        assert (run.games["score"][lost].max(axis=1) < 100).all() and (run.games["decisions"][lost] > 0).any()
        counts = tournament.count_games(run, EAAI) | tournament.count_reasons(run)
        said = tournament.summary(counts)
        assert said[f"forfeits_{'ab'[side]}"] == lost.sum()
        assert said[f"forfeit_reasons_{'ab'[side]}"] == {reason: lost.sum()}
        assert counts["wins"][1 - side] >= lost.sum()


@pytest.mark.parametrize("call", ["deal", "drew", "discarded", "melded", "shown", "scored", "laid_off"])
def test_a_follower_may_give_up_in_any_call(call: str) -> None:
    def fail(self, *values):
        getattr(Rule, call)(self, *values)
        if len([c for c in self.calls if c[0] == call]) == 3:
            raise Forfeit(following.EXCEPTION, "tired", "a trace")

    player = Sitting(cheat(**{call: fail}), f"tired {call}")
    simple = make_player("simple")
    run = following.play(player, simple, range(8), EAAI, 3, batch=3)
    lost = run.forfeits == 0
    assert lost.any() and (run.reasons[lost] == following.EXCEPTION).all()
    assert len(player.followers) == 8
    whole = following.play(Sitting(), simple, range(8), EAAI, 3)
    assert (run.games[~lost] == whole.games[~lost]).all()


def test_forfeits_at_every_deal_do_not_pile_up() -> None:
    def fail(self, *values):
        raise Forfeit(following.EXCEPTION, "never")

    run = following.play(Sitting(cheat(deal=fail), "never"), make_player("simple"), range(3000), EAAI, 3)
    assert (run.forfeits == 0).all() and run.games["outcomes"].sum() == 0


def test_the_first_forfeits_are_described_and_the_others_counted(caplog: pytest.LogCaptureFixture) -> None:
    kind = cheat(discard=lambda self: -1)
    following.play(Sitting(kind, "a clumsy player"), make_player("simple"), range(10), EAAI, 3)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == following.SHOWN and "a clumsy player forfeits game" in said[0]


class Clock:
    now = 0.0


def test_a_limit_of_time_is_kept_game_by_game(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(following, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(following, "process_time", lambda: clock.now)

    def slow(self, upcard):
        clock.now += 3
        return Rule.wants(self, upcard)

    simple = make_player("simple")
    for side, pair in enumerate(
        [(Sitting(cheat(wants=slow), "slow"), simple), (simple, Sitting(cheat(wants=slow), "slow"))]
    ):
        run = following.play(*pair, range(4), EAAI, 3, seconds_per_game=10)
        assert (run.forfeits == side).all() and {REASONS[r] for r in run.reasons} == {"time"}
        wants = [len([c for c in f.calls if c[0] == "wants"]) for f in pair[side].followers]
        assert wants == [4] * 4
        allowed = [c[1] for c in pair[side].followers[0].calls if c[0] == "allow"]
        assert allowed[0] == 10 and min(allowed) == 1
    whole = following.play(Sitting(), simple, range(4), EAAI, 3, seconds_per_game=1e6)
    assert (whole.games == sim.play(twin(), simple, range(4), EAAI, 3).games).all()


def test_two_who_swap_upcards_for_ever_meet_the_cap() -> None:
    kind = cheat(wants=lambda self, card: setattr(self, "upcard", card) or True, melds=lambda self: None)
    rules = parse_rules("eaai:max_rounds=3,max_turns=60")
    run = following.play(Sitting(kind), Sitting(kind), range(2), rules, 3)
    assert run.games["capped"].tolist() == [3, 3] and (run.forfeits == following.NOBODY).all()


def test_rules_that_the_challenge_does_not_know_are_refused() -> None:
    simple = make_player("simple")
    for name in ("eaai", "uk", "eaai:target=50,wall=3"):
        following.check_rules(parse_rules(name))
    for name in PRESETS.keys() - {"eaai", "uk"}:
        with pytest.raises(BadInput, match="know the rules of the challenge"):
            following.play(Sitting(), simple, range(2), parse_rules(name), 1)
