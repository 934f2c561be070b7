"""After the game: reviews, branches, uploads, the quiz, positions, standings and matches on the page."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from ginrummy.errors import BadInput
from ginrummy.notation import read, replay_game
from ginrummy.position import read_sight
from ginrummy.store import Store
from ginrummy.web import models
from ginrummy.web.catalogue import Catalogue
from ginrummy.web.house import House
from ginrummy.web.lab_tables import cross_html, standings_html
from ginrummy.web.matches import Matches
from ginrummy.web.server import api_app
from ginrummy.web.setups import line_of
from ginrummy.web.standings import read_standings, results_directory
from web_help import choose, play_game, wait_for

HAND = ["AC", "2C", "3C", "7D", "7H", "7S", "KD", "QD", "2H", "9S"]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    store = Store(str(tmp_path_factory.mktemp("store") / "games.sqlite"))
    house = House(store, Catalogue(results_directory()))
    yield TestClient(api_app(house), raise_server_exceptions=False)
    house.close()


@pytest.fixture(scope="module")
def game(client: TestClient) -> str:
    return str(play_game(client, "simple", "eaai:target=10")["id"])


def reviewed(client: TestClient, game: str) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def ready() -> bool:
        found.update(client.get(f"/api/games/{game}/review").json())
        assert not found["error"], found
        time.sleep(0.1)
        return bool(found["ready"])

    wait_for(ready, 120)
    return dict(found["review"])


def test_a_finished_game_is_reviewed_once_and_kept(client: TestClient, game: str) -> None:
    body = reviewed(client, game)
    record = read(client.get(f"/api/games/{game}/record").text)
    played = replay_game(record)
    assert body["seat"] == record.players.index("person") and body["winner"] == played.winner
    assert len(body["moments"]) == sum(len(entry.round.actions) + 1 for entry in played.dealt)
    assert {one["mark"] for one in body["decisions"]} <= {"", "doubtful", "mistake", "blunder"}
    assert body["own"]["decisions"] == len(body["decisions"]) > 3
    assert body["luck"]["adjusted"] == pytest.approx(body["luck"]["result"] - body["luck"]["cards"])
    assert all(0 <= point["win"][0] <= 1 for point in body["curve"])
    start = time.perf_counter()
    assert client.get(f"/api/games/{game}/review").json()["review"] == body
    assert time.perf_counter() - start < 5
    page = client.get(f"/api/games/{game}/review.html")
    assert page.headers["content-disposition"].startswith("attachment") and "http" not in page.text.lower()
    questions = client.get("/api/quiz").json()
    assert len(questions) == len(body["quiz"])
    for question in questions:
        assert question["answer"] in question["options"] and question["played"] != question["answer"]


def test_a_game_under_way_is_not_reviewed(client: TestClient) -> None:
    state = client.post("/api/games", json={"opponent": "simple"}).json()
    answer = client.get(f"/api/games/{state['id']}/review")
    assert answer.status_code == 400 and "when the game is over" in answer.json()["error"]


@pytest.mark.parametrize("hidden", ["kept", "redrawn"])
def test_a_branch_goes_on_from_any_moment_and_can_be_finished(
    client: TestClient, game: str, hidden: str
) -> None:
    record = read(client.get(f"/api/games/{game}/record").text)
    seat = record.players.index("person")
    actions = replay_game(record).dealt[0].round.actions
    first = next(place for place, (who, _) in enumerate(actions) if who == seat)
    asked = {"round": 0, "action": first, "opponent": "hand-strength", "hidden": hidden}
    answer = client.post(f"/api/games/{game}/branch", json=asked)
    assert answer.status_code == 201, answer.text
    state = answer.json()
    hand = record.rounds[0].hands[seat]
    if first < 2:  # nothing was drawn yet
        assert len(state["hand"]) == hand.bit_count() == 10 and state["phase"] == "draw"
    while state["phase"] != "game over":
        state = client.post(f"/api/games/{state['id']}/act", json=choose(state)).json()
    assert client.get(f"/api/games/{state['id']}/record").status_code == 200
    far = client.post(f"/api/games/{game}/branch", json=asked | {"round": 99})
    assert far.status_code == 400 and "round" in far.json()["error"]


def test_records_are_uploaded_checked_and_reviewed(client: TestClient, game: str) -> None:
    text = client.get(f"/api/games/{game}/record").text
    kept = client.post("/api/records", json={"record": text, "seat": 1}).json()["id"]
    assert reviewed(client, kept)["seat"] == 1
    listed = {row["id"]: row for row in client.get("/api/games").json()}
    assert listed[kept]["kind"] == "uploaded" and listed[kept]["finished"]
    refused = client.get(f"/api/games/{kept}")
    assert refused.status_code == 400 and "review it" in refused.json()["error"]
    for wrong in ("nonsense", text.replace("discards", "eats"), text.replace("scores", "scores 9", 1)):
        answer = client.post("/api/records", json={"record": wrong})
        assert answer.status_code == 400 and "cannot use the record" in answer.json()["error"]
    long = client.post("/api/records", json={"record": "x" * 400_001})
    assert long.status_code == 422


@pytest.mark.parametrize(
    ("hand", "pile", "known", "question"),
    [
        (HAND, "5H", "", "draw"),
        ([*HAND, "4S"], "5H 6H TH", "", "discard"),
        (HAND, "5H 6H", "8S", "draw"),
        (HAND, "5H 6H JC JD 4C", "8S 8H", "draw"),
    ],
)
def test_a_table_put_together_by_hand_is_what_the_coach_sees(
    client: TestClient, hand: list[str], pile: str, known: str, question: str
) -> None:
    asked = models.Setup(hand=hand, pile=pile.split(), known=known.split(), scores=(40, 7))
    seen = read_sight(line_of(asked))
    assert seen.hand.bit_count() == len(hand) and seen.pile.bit_count() == len(asked.pile)
    assert seen.opponent.bit_count() == len(asked.known) and (seen.score, seen.opponent_score) == (40, 7)
    advice = client.post("/api/advice/table", json=json.loads(asked.model_dump_json()))
    assert advice.json()["question"] == question


@pytest.mark.parametrize(
    ("hand", "pile", "known", "words"),
    [
        (HAND[:9], "5H", "", "ten or eleven"),
        (HAND, "", "", "at least one card"),
        (HAND, "AC", "", "every card once"),
        (HAND, "5H 6H", "", "one card more or less"),
        (HAND, "5H", "8S", "too short"),
    ],
)
def test_a_table_that_cannot_be_is_refused(hand: list[str], pile: str, known: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        line_of(models.Setup(hand=hand, pile=pile.split(), known=known.split()))


def test_a_position_is_advised_and_nonsense_refused(client: TestClient) -> None:
    line = "eaai 1 0-0 0-0 0 QCKC8H4S6S9S5D9DTDQD ???????????????????? 31 JH"
    assert client.post("/api/advice", json={"position": line}).json()["question"] == "draw"
    for wrong in ("nonsense", "eaai 1", line + " x", "a\nb"):
        answer = client.post("/api/advice", json={"position": wrong})
        assert answer.status_code == 400 and "\n" not in answer.json()["error"]


def test_standings_add_up_the_evidence() -> None:
    results = results_directory()
    evidence = json.loads((results / "standings.json").read_text(encoding="utf-8"))
    standings = read_standings(results, ("standings.json",))
    theirs = {row["player"]: row["rating"] for row in evidence["ratings"]}
    shift = 1500 - theirs["simple"]
    assert {row.player: pytest.approx(row.rating) for row in standings.rated} == {
        name: pytest.approx(rating + shift) for name, rating in theirs.items()
    }
    match = evidence["matches"][20]
    met = standings.meeting(match["player_b"], match["player_a"])
    assert met is not None and met.rate == pytest.approx(1 - match["win_rate_a"])
    catalogue = Catalogue(results)
    assert all(name in standings_html(standings, catalogue) for name in theirs)
    assert cross_html(standings, catalogue).count("<td") == len(theirs) ** 2


def test_without_evidence_there_are_no_ratings(tmp_path: Any) -> None:
    catalogue = Catalogue(tmp_path)
    assert catalogue.standings.rated == () and catalogue.fitting([]) == "simple"
    assert all(row.rating is None for row in catalogue.players([]))
    assert "No evidence" in standings_html(catalogue.standings, catalogue)


def test_a_match_from_the_page_shrinks_its_interval() -> None:
    matches = Matches(Catalogue(results_directory()))
    name = matches.start("ann", "simple", "random", 200)
    found = matches.find("ann", name)
    assert found is not None and matches.find("bob", name) is None
    wait_for(lambda: found.over, 60)
    assert found.done == 200 and not found.fault
    first, last = found.curve[0], found.curve[-1]
    assert last[3] - last[2] < first[3] - first[2] and last[1] > 0.9
    for wrong in (
        ("nobody", "simple", 100),
        ("simple", "random", 10**9),
        ("champion:level=default", "simple", 401),
    ):
        with pytest.raises((BadInput, ValueError)):
            matches.start("ann", *wrong)
    matches.lane.close()
