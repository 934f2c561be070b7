"""One person's game: equal to the simulator's, with no hidden card revealed and complete records."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from ginrummy import decks, sim
from ginrummy.cards import cards_of
from ginrummy.errors import IllegalAction
from ginrummy.notation import one_sided, read, replay, write
from ginrummy.players.base import Player
from ginrummy.players.baseline import random, simple
from ginrummy.round import Action, Defend, Discard, Draw, Knock, PlayOn, Take
from ginrummy.rules import EAAI, PRESETS
from ginrummy.session import PERSON, Discarded, Drew, GameOver, Knocked, NewDeal, RoundOver, Session
from ginrummy.view import HIDDEN, from_sights, sight

PLAYERS = {"simple": simple(), "random": random()}


class Puppet:
    """A person who answers with a player's deciders and the simulator's uniform numbers."""

    def __init__(self, session: Session, player: Player) -> None:
        self.session = session
        self.player = player
        self.round = -1
        self.asked = 0

    def ask(self, name: str) -> Any:
        seen, session = self.session.sight, self.session
        if seen.round != self.round:
            self.round, self.asked = seen.round, 0
        u = decks.uniform(session.seed, session.number, seen.round, session.person_seat, self.asked)
        self.asked += 1
        return getattr(self.player, name)(from_sights([seen]), np.zeros(1, np.int64), np.array([u]))[0]

    def choose(self) -> Action:
        actions = self.session.legal_actions()
        kinds = [type(action) for action in actions]
        if Take in kinds:
            return actions[0 if self.ask("draw") else 1]
        if Discard in kinds:
            return Discard(int(self.ask("discard")))
        if PlayOn in kinds and not self.ask("knock"):
            return PlayOn()
        melds = tuple(meld for meld in self.ask("spread").tolist() if meld)
        return Defend(melds) if Defend in kinds else Knock(melds)

    def play(self, steps: int = 10**9) -> Session:
        while not self.session.over and steps > 0:
            if self.session.round_over:
                self.session.deal()
            else:
                self.session.act(self.choose())
            steps -= 1
        return self.session


def scored(session: Session) -> list[tuple[int, int]]:
    signs = {True: 1, False: -1, None: 0}
    return [(row.outcome, signs[row.mine] * row.points) for row in session.sheet]


@pytest.mark.parametrize("names", list(product(PLAYERS, PLAYERS)), ids="-".join)
@pytest.mark.parametrize("preset", PRESETS)
def test_a_person_who_answers_like_a_player_gets_the_simulated_game(
    names: tuple[str, str], preset: str
) -> None:
    own, other = (PLAYERS[name] for name in names)
    rules = PRESETS[preset]
    if "random" in names:
        rules = rules._replace(max_rounds=3)
    for seed, game, seat in product((1, 2), (0, 1), (0, 1)):
        session = Puppet(Session(other, rules, seed, person_seat=seat, game=game), own).play()
        first = seat == game % 2
        pair = (own, other) if first else (other, own)
        run = sim.play(*pair, range(game, game + 1), rules, seed, record=True)
        sign = 1 if first else -1
        assert scored(session) == [(int(row["outcome"]), sign * int(row["points"])) for row in run.rounds]
        score = run.games["score"][0].tolist()
        assert list(session.scores) == (score if first else score[::-1])


def test_from_sights_is_the_inverse_of_sight() -> None:
    session = Session(simple(), EAAI, 4)
    puppet = Puppet(session, simple())
    sights = []
    while not session.over:
        sights.append(session.sight)
        puppet.play(1)
    view = from_sights(sights)
    assert [sight(view, row) for row in range(len(sights))] == sights
    assert {seen.knocked == () for seen in sights} == {True, False}
    assert not view.flags.writeable
    assert len(from_sights([])) == 0


def test_nothing_hidden_is_told_while_a_round_runs() -> None:
    for seed in range(6):
        session = Session(simple(), EAAI, seed)
        puppet = Puppet(session, simple())
        while not session.over:
            told = [h for h in session.happenings if isinstance(h, Drew) and not h.mine]
            assert all(h.card == HIDDEN for h in told)
            if not session.round_over:
                record = session.record().rounds[-1]
                seen = session.sight
                assert not seen.unseen & (seen.hand | seen.pile)
                start = max(k for k, h in enumerate(session.happenings) if isinstance(h, NewDeal))
                cards = [h.card for h in session.happenings[start:] if hasattr(h, "card") and h.card >= 0]
                visible = seen.hand | seen.pile | seen.opponent | 1 << record.upcard
                knocked = sum(seen.knocked)
                assert all((visible | knocked) >> card & 1 for card in cards)
                assert all(not isinstance(h, RoundOver) for h in session.happenings[start:])
            puppet.play(1)


def test_happenings_tell_the_whole_game() -> None:
    session = Puppet(Session(simple(), EAAI, 11), simple()).play()
    told = session.happenings
    assert [h.number for h in told if isinstance(h, NewDeal)] == list(range(1, len(session.sheet) + 1))
    assert [h.row for h in told if isinstance(h, RoundOver)] == session.sheet
    assert told[-1] == GameOver(session.result)
    record = session.record()
    discards = [h.card for h in told if isinstance(h, Discarded)]
    assert discards == [
        turn.discard for round_ in record.rounds for turn in round_.turns if turn.discard >= 0
    ]
    for over in (h for h in told if isinstance(h, RoundOver) and h.knock):
        assert over.defence is not None
        laid = (
            sum(over.defence.melds) | over.defence.loose | sum(1 << card for card, _ in over.defence.layoffs)
        )
        assert len(cards_of(laid)) == 10
    assert {h.mine for h in told if isinstance(h, Knocked)} == {True, False}


def test_the_record_replays_and_can_be_read_back() -> None:
    session = Puppet(Session(simple(), PRESETS["us-boxes"], 3, person_seat=1), simple()).play()
    record = session.record()
    assert record.players == ("simple", PERSON)
    assert record.finished
    assert read(write(record)) == record
    assert len(replay(record)) == len(session.sheet)
    assert session.result is not None
    assert session.result.totals == record.totals[::-1]


@pytest.mark.parametrize("preset", ["eaai", "oklahoma", "openspiel"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_can_be_taken_up_at_any_point(preset: str, seat: int) -> None:
    rules = PRESETS[preset]._replace(max_rounds=2)
    whole = Puppet(Session(simple(), rules, 5, person_seat=seat), simple()).play()
    steps = 0
    while True:
        session = Session(simple(), rules, 5, person_seat=seat)
        puppet = Puppet(session, simple())
        puppet.play(steps)
        again = Session.resume(read(write(session.record())), simple())
        assert again.happenings == session.happenings
        assert (again.sight, again.sheet, again.result) == (session.sight, session.sheet, session.result)
        assert again.legal_actions() == session.legal_actions()
        puppet.session = again
        assert puppet.play().record() == whole.record()
        if session.over:
            break
        steps += 1
    assert steps > 5


def test_resume_refuses_records_that_do_not_tell_enough() -> None:
    record = Puppet(Session(simple(), EAAI, 5), simple()).play(8).record()
    with pytest.raises(ValueError, match="a seed, a game number and a seat named"):
        Session.resume(record.__class__(record.rules, ("a", "b"), 1, 0, record.rounds), simple())
    with pytest.raises(ValueError, match="the deal of seed 5"):
        Session.resume(one_sided(record, 0), simple())


def test_previews_change_nothing_and_come_true() -> None:
    session = Session(simple(), EAAI, 2)
    puppet = Puppet(session, simple())
    knocks = 0
    while not session.over:
        if not session.round_over:
            before = session.record()
            discards = [a.card for a in session.legal_actions() if isinstance(a, Discard)]
            outlooks = {card: session.after_discard(card) for card in discards}
            defences = {
                a: session.after_defence(a.melds) for a in session.legal_actions() if isinstance(a, Defend)
            }
            assert session.record() == before
            action = puppet.choose()
            told = session.act(action)
            if isinstance(action, Discard):
                outlook = outlooks[action.card]
                kinds = [type(a) for a in session.legal_actions()]
                assert (Knock in kinds) == bool(outlook.knocks)
                assert outlook.left == 0 or bool(outlook.knocks) == (outlook.left <= 10)
                knocks += bool(outlook.knocks)
            if isinstance(action, Defend) and action in defences:
                assert isinstance(told[0], RoundOver)
                assert told[0].defence == defences[action]
        else:
            session.deal()
    assert knocks


def test_objections_say_what_the_rules_expect() -> None:
    session = Session(simple(), EAAI, 7)
    assert session.objection(Take()) == ""
    assert "expected" in session.objection(Draw())
    with pytest.raises(IllegalAction):
        session.act(Draw())
    with pytest.raises(IllegalAction, match="played out"):
        session.deal()
    assert session.happenings == Session(simple(), EAAI, 7).happenings


def test_an_illegal_opponent_is_named() -> None:
    player = simple()
    bad = Player(
        "cheat", player.draw, lambda view, rows, u: np.full(len(rows), 60), player.knock, player.spread
    )
    with pytest.raises(IllegalAction, match=r"'cheat'.*seat 1, game 0"):
        Puppet(Session(bad, EAAI, 1), simple()).play()
    shapeless = Player("odd", lambda view, rows, u: np.zeros(3), player.discard, player.knock, player.spread)
    with pytest.raises(IllegalAction, match="'odd': draw must answer with shape"):
        Puppet(Session(shapeless, EAAI, 1), simple()).play()


def test_misuse_is_refused() -> None:
    with pytest.raises(ValueError, match="seat 0 or 1"):
        Session(simple(), EAAI, 1, person_seat=2)
    with pytest.raises(ValueError, match="seed"):
        Session(simple(), EAAI, -1)
    with pytest.raises(ValueError, match="range"):
        Session(simple(), EAAI, 1, game=-1)
    session = Puppet(Session(simple(), EAAI, 1), simple()).play()
    assert session.legal_actions() == []
    with pytest.raises(IllegalAction):
        session.deal()
    with pytest.raises(IllegalAction):
        session.act(Take())
