"""The baseline against the challenge program's own logs, and the logs through the batch engine."""

import numpy as np
import pytest

import challenge_log
from ginrummy import sim
from ginrummy.melds import best_meld_sets
from ginrummy.players.baseline import simple
from ginrummy.round import Defend, Discard, Draw, Knock, Pass, Phase, PlayOn, Round, Take
from ginrummy.rules import EAAI, LOG_LENGTH
from ginrummy.scoring import OUTCOMES
from ginrummy.view import HIDDEN, OTHER, PASSED, SELF, from_sights
from scripted import melds_row, scripted

LOGS = challenge_log.read_all()
ROUNDS = [
    (name, game, number)
    for name, games in LOGS.items()
    for game in games
    for number in range(len(game.rounds))
]


def deck_of(logged: challenge_log.Round) -> list[int]:
    """The deck of a logged round; cards that were never drawn follow in order of their ids."""
    drawn = [e.card for e in logged.events if isinstance(e, challenge_log.Draw) and e.source == "stock"]
    known = [*logged.dealt[0], *logged.dealt[1], logged.upcard, *drawn]
    return known + sorted(set(range(52)) - set(known))


def logs_of(logged: challenge_log.Round) -> np.ndarray:
    """Both sides' logs of a logged round, [2, L, 4], unused events -1."""
    logs = np.full((2, LOG_LENGTH, 4), -1, np.int8)
    event, upcard, drawn, source = 0, logged.upcard, 0, ""
    for happened in logged.events:
        if isinstance(happened, challenge_log.Draw):
            drawn, source = happened.card, happened.source
            continue
        passed = isinstance(happened, challenge_log.Decline)
        discard = -1 if passed else happened.card
        for side in (0, 1):
            mine = happened.seat == side
            seen = PASSED if passed else drawn if mine or source == "upcard" else HIDDEN
            logs[side, event] = (SELF if mine else OTHER, upcard, seen, discard)
        event += 1
        upcard = upcard if passed else discard
    return logs


def test_every_logged_round_replays_through_the_batch_engine() -> None:
    """Same legality, deadwoods, points and winners, all rounds in one batch."""
    logged = [game.rounds[number] for _, game, number in ROUNDS]
    logs = np.array([logs_of(r) for r in logged])
    knocks = np.array([[r.knock is not None and r.knock.seat == side for side in (0, 1)] for r in logged])
    spreads = np.zeros((len(logged), 2, 4), np.int64)
    for k, r in enumerate(logged):
        if r.knock:
            spreads[k, r.knock.seat] = melds_row(r.knock.melds)
            spreads[k, r.defence.seat] = melds_row(r.defence.melds)
    sides = [scripted(logs[:, side], spreads[:, side], knocks[:, side]) for side in (0, 1)]
    decks = np.array([deck_of(r) for r in logged], np.int8)
    run = sim.play_rounds(*sides, decks, np.array([r.starter for r in logged]), EAAI)
    order = np.argsort(run.rounds["game"])
    kinds = [OUTCOMES[outcome] for outcome in run.rounds["outcome"][order]]
    worth = [0 if r.scorer is None else r.points * (1 - 2 * r.scorer) for r in logged]
    assert kinds == [r.kind for r in logged]
    assert run.rounds["points"][order].tolist() == worth
    assert (run.rounds["events"][order] == (logs[:, 0, :, 0] >= 0).sum(axis=1)).all()


@pytest.mark.parametrize("name", [name for name in LOGS if "simple" in name])
def test_every_logged_decision_of_the_baseline_is_one_that_ours_may_make(name: str) -> None:
    player = simple()
    row = np.zeros(1, np.int64)
    checked = {"draw": 0, "discard": 0, "knock": 0, "spread": 0}

    def ask(what: str, table: Round, u: float = 0.0):
        return getattr(player, what)(from_sights([table.sight(table.mover)]), row, np.array([u]))[0]

    def discards(table: Round) -> set[int]:
        """All discards that ours may make: its answer changes with ``u`` at most ten times."""
        view = from_sights([table.sight(table.mover)])
        return set(player.discard(view, np.zeros(110, np.int64), (np.arange(110) + 0.5) / 110).tolist())

    for game in LOGS[name]:
        baseline = [seat for seat in (0, 1) if game.names[seat] == "simple"]
        for logged in game.rounds:
            table = Round.deal(deck_of(logged), logged.starter, EAAI)
            for happened in logged.events:
                ours = happened.seat in baseline and table.mover == happened.seat
                if isinstance(happened, challenge_log.Discard):
                    if ours:
                        assert happened.card in discards(table)
                        checked["discard"] += 1
                    table.apply(Discard(happened.card))
                    if table.phase is Phase.KNOCK:
                        knocks = logged.knock is not None and happened is logged.events[-1]
                        if ours:
                            assert knocks and ask("knock", table)
                            checked["knock"] += 1
                        if not knocks:
                            table.apply(PlayOn())
                    continue
                takes = isinstance(happened, challenge_log.Draw) and happened.source == "upcard"
                if ours and table.legal_actions() != [Draw()]:
                    assert bool(ask("draw", table)) == takes
                    checked["draw"] += 1
                declines = isinstance(happened, challenge_log.Decline)
                table.apply(Take() if takes else Pass() if declines else Draw())
            for kind, laid in ((Knock, logged.knock), (Defend, logged.defence)):
                if laid:
                    melds = tuple(meld for meld in melds_row(laid.melds) if meld)
                    if laid.seat in baseline:
                        assert melds in (best_meld_sets(table.hands[laid.seat]) or [()])
                        checked["spread"] += 1
                    table.apply(kind(melds))
    assert min(checked.values()) > 200, checked
