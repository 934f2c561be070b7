"""The JSON API: whole games by every rule set, everything wrong refused in one line, nobody sees another's game."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from ginrummy.notation import read, replay_game
from ginrummy.players.registry import player_names
from ginrummy.rules import PRESETS
from ginrummy.store import Store
from ginrummy.web import house as house_room
from ginrummy.web.catalogue import CHARACTERS, LEVELS, Catalogue
from ginrummy.web.house import House
from ginrummy.web.limits import MOST_BYTES
from ginrummy.web.server import api_app
from ginrummy.web.standings import results_directory
from web_help import choose, play_game


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    store = Store(str(tmp_path_factory.mktemp("store") / "games.sqlite"))
    made = House(store, Catalogue(results_directory()))
    yield made
    made.close()


@pytest.fixture
def client(house: House) -> TestClient:
    return TestClient(api_app(house), raise_server_exceptions=False)


def begin(client: TestClient, **asked: Any) -> dict[str, Any]:
    answer = client.post("/api/games", json={"opponent": "simple"} | asked)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


@pytest.mark.parametrize("rules", [f"{name}:target=25" for name in PRESETS])
def test_a_whole_game_is_played_and_its_record_replays(client: TestClient, rules: str) -> None:
    state = play_game(client, "simple", rules)
    record = read(client.get(f"/api/games/{state['id']}/record").text)
    game = replay_game(record)
    assert game.over and record.finished
    seat = record.players.index("person")
    assert state["scores"] == [game.scores[seat], game.scores[1 - seat]]
    assert state["result"]["won"] == (None if game.winner is None else game.winner == seat)
    assert [row["round"] for row in state["sheet"]] == list(range(1, len(record.rounds) + 1))


def test_every_registered_player_is_on_the_list_and_answers(client: TestClient) -> None:
    listed = client.get("/api/players").json()
    assert {row["name"] for row in listed} == {*player_names(), *LEVELS} == set(CHARACTERS)
    ratings = [row["rating"] for row in listed if row["rating"] is not None]
    assert ratings == sorted(ratings)
    for row in listed:
        state = begin(client, opponent=row["name"])
        for _ in range(3):
            answer = client.post(f"/api/games/{state['id']}/act", json=choose(state))
            assert answer.status_code == 200, (row["name"], answer.text)
            state = answer.json()


def test_a_newcomer_gets_a_fitting_opponent_and_a_winner_a_stronger_one(client: TestClient) -> None:
    first = next(row for row in client.get("/api/players").json() if row["fitting"])
    assert first["name"] == "simple"
    for careless in range(12):
        state = play_game(client, "simple", "eaai:target=10", careless)
        if state["result"]["won"]:
            break
    listed = client.get("/api/players").json()
    names = [row["name"] for row in listed if row["rating"] is not None]
    fitting = next(row["name"] for row in listed if row["fitting"])
    assert state["result"]["won"] and fitting == names[names.index("simple") + 1]


@pytest.mark.parametrize("deals", ["me", "opponent"])
def test_who_deals_is_the_visitors_choice(client: TestClient, deals: str) -> None:
    for _ in range(3):
        assert begin(client, deals=deals)["starts"] == (deals == "opponent")


def test_a_visitor_cannot_see_or_touch_another_ones_game(house: House) -> None:
    ann, bob = (TestClient(api_app(house)) for _ in range(2))
    state = begin(ann)
    place = f"/api/games/{state['id']}"
    assert ann.get(place).status_code == 200
    for answer in (
        bob.get(place),
        bob.post(f"{place}/act", json=choose(state)),
        bob.get(f"{place}/advice"),
        bob.get(f"{place}/record"),
        bob.get(f"{place}/review"),
        bob.post(f"{place}/branch", json={"round": 0, "action": 0, "opponent": "simple"}),
        bob.delete(place),
    ):
        assert answer.status_code == 404 and answer.json() == {"error": "you have no game with this id"}
    assert bob.get("/api/games").json() == []
    assert ann.get(place).json() == state


def test_ids_and_secrets_cannot_be_guessed(house: House) -> None:
    client = TestClient(api_app(house))
    ids = [begin(client)["id"] for _ in range(5)]
    assert len(set(ids)) == 5 and all(len(name) == 22 for name in ids)
    fresh = TestClient(api_app(house)).get("/api/waiting")
    cookie = fresh.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    secret = cookie.partition("=")[2].partition(";")[0]
    assert len(secret) == 43  # 256 bits
    rows = [str(row) for row in house.store.engine.raw_connection().cursor().execute("SELECT * FROM games")]
    assert not any(secret in row for row in rows)


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ({"action": "draw"}, 422, "moves"),
        ({"moves": 0, "action": "dance"}, 422, "action"),
        ({"moves": 0, "action": "discard", "card": "11X"}, 422, "card"),
        ({"moves": 0, "action": "take", "more": 1}, 422, "more"),
        ({"moves": -1, "action": "take"}, 422, "moves"),
        ({"moves": 99, "action": "take"}, 409, "reload"),
        ({"moves": 0, "action": "discard", "card": "AS"}, 400, "may be discarded"),
        ({"moves": 0, "action": "discard"}, 400, "none"),
        ({"moves": 0, "action": "knock"}, 400, "nothing to knock"),
        ({"moves": 0, "action": "knock", "melds": [["AS", "2S", "3S"]]}, 400, "against the rules"),
        ({"moves": 0, "action": "deal"}, 400, "not over"),
        ({"moves": 0, "action": "take", "card": "AS"}, 400, "no card"),
        ({"moves": 0, "action": "knock", "melds": [["AS"] * 14]}, 422, "melds"),
        ([], 422, "body"),
    ],
)
def test_a_wrong_action_is_one_line_and_changes_nothing(
    client: TestClient, body: Any, code: int, words: str
) -> None:
    state = begin(client)
    answer = client.post(f"/api/games/{state['id']}/act", json=body)
    assert answer.status_code == code, answer.text
    line = answer.json()["error"]
    assert words in line and "\n" not in line and len(line) < 600
    assert client.get(f"/api/games/{state['id']}").json() == state


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"opponent": "py:/etc/passwd@make"}, "unknown opponent"),
        ({"opponent": "champion:network=/etc/passwd"}, "unknown opponent"),
        ({"opponent": "eaai:a.B@c"}, "unknown opponent"),
        ({"rules": "chess"}, "unknown rules"),
        ({"rules": "eaai:target=999999"}, "target"),
        ({"rules": "eaai:" + "wall=2," * 100}, "rules"),
        ({"deals": "nobody"}, "deals"),
    ],
)
def test_a_wrong_game_is_refused(client: TestClient, asked: dict[str, str], words: str) -> None:
    answer = client.post("/api/games", json=asked)
    assert answer.status_code in (400, 422) and words in answer.json()["error"]


def test_long_bodies_and_unknown_places_are_refused(client: TestClient) -> None:
    long = client.post("/api/games", content=b"x" * (MOST_BYTES + 1))
    assert long.status_code == 413 and "bytes" in long.json()["error"]

    def pieces() -> Iterator[bytes]:
        for _ in range(MOST_BYTES // 1000 + 2):
            yield b"y" * 1000

    assert client.post("/api/games", content=pieces()).status_code == 413
    assert client.get("/api/nothing").json() == {"error": "Not Found"}
    assert client.get("/api/games/short").status_code == 422
    assert client.get("/static/../server.py").status_code == 404


def test_the_record_of_a_game_under_way_is_not_given(client: TestClient) -> None:
    state = begin(client)
    answer = client.get(f"/api/games/{state['id']}/record")
    assert answer.status_code == 400 and "when the game is over" in answer.json()["error"]


def test_an_opponent_that_fails_tells_nothing_and_loses_nothing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = begin(client)

    def fail(*_: Any) -> None:
        raise ValueError("my cards are AS 2S 3S")

    monkeypatch.setattr(house_room.Session, "_move_opponent", fail)
    while state["phase"] == "draw":
        other = "pass" if "pass" in state["actions"] else "draw"
        answer = client.post(f"/api/games/{state['id']}/act", json={"moves": state["moves"], "action": other})
        if answer.status_code != 200:
            break
        state = answer.json()
    else:
        answer = client.post(f"/api/games/{state['id']}/act", json=choose(state))
    assert answer.status_code == 500 and "AS" not in answer.text
    assert answer.json()["error"].startswith("the opponent failed with ValueError")
    monkeypatch.undo()
    assert client.get(f"/api/games/{state['id']}").json() == state


def test_sessions_are_made_again_from_their_records(house: House, client: TestClient) -> None:
    state = begin(client, opponent="hand-strength")
    for _ in range(6):
        house._sessions.clear()
        assert client.get(f"/api/games/{state['id']}").json() == state
        house._sessions.clear()
        state = client.post(f"/api/games/{state['id']}/act", json=choose(state)).json()


def test_advice_comes_with_every_estimator_and_never_after_the_round(client: TestClient) -> None:
    state = begin(client)
    place = f"/api/games/{state['id']}/advice"
    for estimator in ("joint", "bayes", "null"):
        advice = client.get(place, params={"estimator": estimator}).json()
        assert advice["estimator"] == estimator and advice["question"] == "draw"
        assert sum(advice["chances"].values()) == pytest.approx(10, abs=0.01)
        assert len(advice["options"]) == 2 and advice["reason"]
    bad = client.get(place, params={"estimator": "bayes:file=/etc/passwd"})
    assert bad.status_code == 400 and "unknown estimator" in bad.json()["error"]
    while state["phase"] != "round over":
        state = client.post(f"/api/games/{state['id']}/act", json=choose(state)).json()
    assert "nothing to decide" in client.get(place).json()["error"]


def test_the_schema_page_names_every_call_and_loads_nothing(client: TestClient) -> None:
    page = client.get("/api").text
    for path in client.get("/api/schema.json").json()["paths"]:
        assert path in page
    assert "http://" not in page and "https://" not in page and "<script" not in page
