"""Branches of recorded games, best lines, and positions typed by hand."""

import pytest

from ginrummy.cards import mask_of
from ginrummy.coach import Place, branch, position_advice, read_position
from ginrummy.coach.lines import best_line
from ginrummy.coach.walk import decisions, sight_at, table_at
from ginrummy.errors import BadInput, GinRummyError, ParseError
from ginrummy.game import Game
from ginrummy.notation import GameRecord, one_sided, read, replay_game, write
from ginrummy.players.registry import make_player
from ginrummy.round import Draw, Take
from ginrummy.rules import EAAI
from ginrummy.session import PERSON, Session
from person_games import self_play


@pytest.fixture(scope="module")
def record() -> GameRecord:
    return self_play("simple", "simple", 8)


@pytest.fixture(scope="module")
def game(record: GameRecord) -> Game:
    return replay_game(record)


def own_places(game: Game, seat: int = 0) -> list[Place]:
    return [one.place for one in decisions(game, (seat,))]


def finish(session: Session) -> GameRecord:
    """Play a session to its end, with the opponent's player for the person too."""
    while not session.over:
        if session.round_over:
            session.deal()
        else:
            session._move_opponent()
            session._go_on()
    return session.record()


def test_a_branch_with_kept_cards_is_the_game_itself_up_to_there(record: GameRecord, game: Game) -> None:
    for place in own_places(game)[3::17]:
        session = branch(record, place, make_player("simple"), seed=5)
        table = table_at(game, place)
        assert session._table.hands == table.hands and session._table.stock == table.stock
        assert session.sight == sight_at(game, place.round, table, 0)
        assert session.rules == record.rules and session.record().seed is None


def test_a_branch_with_redrawn_cards_looks_the_same_to_the_person(record: GameRecord, game: Game) -> None:
    others = 0
    for place in own_places(game)[2::9]:
        session = branch(record, place, make_player("simple"), hidden="redrawn", seed=4)
        table = table_at(game, place)
        expected = sight_at(game, place.round, table, 0)
        assert session.sight == expected
        assert (
            mask_of(session._table.stock) | session._table.hands[1] == mask_of(table.stock) | table.hands[1]
        )
        others += session._table.hands[1] != table.hands[1]
        again = branch(record, place, make_player("simple"), hidden="redrawn", seed=4)
        assert again._table.hands == session._table.hands and again._table.stock == session._table.stock
    assert others > 5


def test_a_branch_can_begin_in_the_middle_of_the_opponents_turn(record: GameRecord, game: Game) -> None:
    places = [
        Place(0, number + 1)
        for number, (seat, action) in enumerate(game.dealt[0].round.actions)
        if seat == 1 and isinstance(action, Draw | Take)
    ]
    assert len(places) > 2
    for place in places:
        session = branch(record, place, make_player("simple"), hidden="redrawn", seed=1)
        assert session.over or session.round_over or session._table.mover == 0


@pytest.mark.parametrize("hidden", ["kept", "redrawn"])
def test_a_branch_is_played_to_its_end_and_its_record_is_sound(
    record: GameRecord, game: Game, hidden
) -> None:
    place = own_places(game)[20]
    played = finish(branch(record, place, make_player("hand-strength"), hidden=hidden, seed=9))
    assert played.finished and read(write(played)) == played
    assert played.players == (PERSON, "hand-strength")
    replay_game(played)
    ended = branch(played, Place(len(played.rounds) - 1, 0), make_player("simple"))  # a branch of a branch
    assert not ended.over


def test_branches_refuse_what_they_cannot_do(record: GameRecord) -> None:
    simple = make_player("simple")
    for place in (Place(99, 0), Place(0, 999), Place(-1, 0), Place(0, -1)):
        with pytest.raises(BadInput, match="expected a"):
            branch(record, place, simple)
    half = one_sided(record, 0)
    with pytest.raises(BadInput, match="only be redrawn"):
        branch(half, Place(0, 2), simple)
    assert branch(half, Place(0, 2), simple, hidden="redrawn").sight.hand
    with pytest.raises(BadInput, match="one of kept, redrawn"):
        branch(record, Place(0, 0), simple, hidden="open")


def test_best_lines_begin_with_the_answer_and_end_with_the_round(record: GameRecord, game: Game) -> None:
    for one in list(decisions(game, (0,)))[4:40:7]:
        line = best_line(game, one, one.answer, one.knock, record.players)
        assert line[0].startswith(PERSON) and line == best_line(
            game, one, one.answer, one.knock, record.players
        )
        assert "scores" in line[-1]


# Positions.


def test_positions_are_advised_with_what_the_mover_sees() -> None:
    game = Game(EAAI, 0)
    table = game.deal(list(range(52)))
    open_line, own_line = game.position(), game.mover_position()
    assert read_position(open_line) == read_position(own_line)
    assert position_advice(open_line, budget=300) == position_advice(own_line, budget=300)
    assert read_position(open_line)[1] == EAAI and table.mover == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "empty line"),
        ("chess 1 0-0", "unknown rules"),
        ("eaai 1 0-0", "expected"),
        ("eaai 1 0-0 0-0 0 AC2C3C4C5C6C7C8C9CTC ???????????????????? 31 AC", "twice"),
        ("eaai 1 0-0 0-0 0 AC2C3C4C5C6C7C8C9C ???????????????????? 31 AH", "ten cards"),
    ],
)
def test_a_position_that_makes_no_sense_is_one_line(line: str, said: str) -> None:
    with pytest.raises(GinRummyError, match=said) as raised:
        position_advice(line)
    assert "\n" not in str(raised.value)


def test_a_position_after_a_knock_has_nothing_to_advise(record: GameRecord, game: Game) -> None:
    from ginrummy.position import write_for_mover
    from ginrummy.round import Phase

    table = game.dealt[0].round.copy()
    while table.phase is not Phase.DEFEND:
        table.undo()
    with pytest.raises((BadInput, ParseError), match="after a knock"):
        position_advice(write_for_mover(table))
