"""No hidden card reaches a visitor: every byte of whole games is read, and planted leaks are found."""

import base64
import json
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ginrummy.cards import CARDS, card_text, cards_of
from ginrummy.coach.branch import branch
from ginrummy.coach.walk import Place
from ginrummy.errors import BadInput
from ginrummy.notation import read
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.session import Session
from ginrummy.store import Store
from ginrummy.web import advising, house
from ginrummy.web.catalogue import Catalogue
from ginrummy.web.server import api_app
from ginrummy.web.standings import results_directory
from ginrummy.web.state import state_of
from leaks import _ANY, _CODES, Leak, Truth, Watcher, check_log, spellings, watched_games
from web_help import choose


def test_whole_games_over_http_leak_nothing() -> None:
    watcher = watched_games(3, ["simple", "champion"])
    assert watcher.checks > 60 and watcher.bytes > 300_000


def other_hand(session: Session) -> list[int]:
    return cards_of(session._table.hands[1 - session.person_seat])


def stock(session: Session) -> list[int]:
    return list(session._table.stock)


PLANTED: dict[str, Callable[[Session], Any]] = {
    "a card": lambda s: card_text(stock(s)[0]),
    "in lower case": lambda s: card_text(stock(s)[3]).lower(),
    "in words": lambda s: spellings(other_hand(s)[0])[-1],
    "with a symbol": lambda s: spellings(other_hand(s)[1])[1],
    "numbers": other_hand,
    "the order of the stock": stock,
    "a mask": lambda s: s._table.hands[1 - s.person_seat],
    "a mask in hexadecimal": lambda s: hex(s._table.hands[1 - s.person_seat]),
    "base64": lambda s: base64.b64encode(" ".join(map(card_text, other_hand(s))).encode()).decode(),
    "url-safe base64 of compressed text": lambda s: base64.urlsafe_b64encode(
        zlib.compress(json.dumps([card_text(card) for card in stock(s)]).encode())
    ).decode(),
    "hexadecimal text": lambda s: " ".join(map(card_text, stock(s))).encode().hex(),
    "percent signs": lambda s: "".join(f"%{byte:02X}" for byte in card_text(stock(s)[0]).encode()),
    "the seed": lambda s: s.seed,
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_leak_is_found(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = house.House(Store(str(tmp_path / "games.sqlite")), Catalogue(results_directory()))

    def leaking(session: Session, *more: Any) -> Any:
        state = state_of(session, *more)
        return state.model_copy(update={"rules": json.dumps(PLANTED[kind](session))})

    client = TestClient(api_app(rooms))
    watcher = Watcher()

    def check(answer: Any) -> dict[str, Any]:
        state = dict(answer.json())
        watcher.names.add(state["id"])
        watcher.saw("state", answer.content)
        with rooms.store.engine.connect() as connection:
            record = connection.exec_driver_sql("SELECT record FROM games").scalar_one()
        watcher.check(str(record))
        return state

    state = check(client.post("/api/games", json={"opponent": "simple"}))
    state = check(client.post(f"/api/games/{state['id']}/act", json=choose(state)))
    monkeypatch.setattr(house, "state_of", leaking)
    with pytest.raises(Leak):
        check(client.get(f"/api/games/{state['id']}"))
    rooms.close()


def test_every_spelling_of_every_card_is_recognised() -> None:
    for card in range(CARDS):
        for text in spellings(card):
            assert _ANY.findall(f'["{text}", 1]') == [text], text
            assert _CODES[text] == card


def test_a_card_in_the_log_is_found() -> None:
    check_log(["The page is at http://127.0.0.1:8080/ (Ctrl-C ends it)\n"])
    with pytest.raises(Leak):
        check_log(["opponent holds 7H\n"])


def test_the_truth_knows_what_is_hidden() -> None:
    session = Session(make_player("simple"), EAAI, seed=3)
    truth = Truth(session.record())
    assert len(truth.cards) == 31 + 10 and not truth.cards & set(cards_of(session.sight.hand))


def twins(seed: int, actions: int) -> tuple[Session, Session] | None:
    """Two sessions that the person cannot tell apart, with other hidden cards."""
    rng = random.Random(seed)
    session = Session(make_player("simple"), EAAI, seed)
    for _ in range(actions):
        if session.round_over:
            return None
        session.act(rng.choice(session.legal_actions()))
    if session.round_over:
        return None
    record = read(house.record_text(session))
    place = Place(len(record.rounds) - 1, len(session._table.actions))
    try:
        found = [
            branch(record, place, make_player("simple"), hidden=hidden, seed=seed)
            for hidden in ("kept", "redrawn")
        ]
    except BadInput:  # no other hand fits: nothing to compare
        return None
    return found[0], found[1]


def test_nothing_that_is_sent_depends_on_hidden_cards() -> None:
    compared = 0
    for seed in range(1, 9):
        pair = twins(seed, 2 + seed)
        if pair is None:
            continue
        true, other = pair
        if true.sight != other.sight:
            continue  # the opponent, with other cards, was asked about a knock in between
        assert true._table.stock != other._table.stock
        shown = [state_of(s, "id", 0, "x").model_dump_json() for s in pair]
        assert shown[0] == shown[1]
        said = [advising.advise(s.sight, EAAI, "joint").model_dump(exclude={"seconds"}) for s in pair]
        assert said[0] == said[1]
        compared += 1
    assert compared >= 4
