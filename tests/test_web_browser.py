"""The page in a real browser: whole games by mouse and by keyboard, coach, review, reload, two people, a phone.

Screenshots are kept in ``test-screenshots/``: look at them after a change of the page.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from ginrummy.store import Store
from leaks import Watcher, check_log
from web_help import Server, choose, serving

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no chromium here (apt install chromium)")

SHOTS = Path(__file__).parent.parent / "test-screenshots"
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
CALM = {"motion": False, "undo": 0}
"""Settings for quick tests: no flights of cards, discards final at once."""


class Place:
    """A server, its database and a browser."""

    def __init__(self, server: Server, database: Path, browser: Any) -> None:
        self.server, self.browser = server, browser
        self.store = Store(str(database))

    def record(self, game: str) -> str:
        with self.store.engine.connect() as connection:
            found = connection.execute(text("SELECT record FROM games WHERE id = :id"), {"id": game})
            return str(found.scalar_one())

    @contextmanager
    def visit(self, size: dict[str, int] = DESK, settings: dict[str, Any] | None = None) -> Iterator[Any]:
        """A new visitor's page. It must load nothing from another host and report no error."""
        import json

        context = self.browser.new_context(viewport=size, has_touch=size is PHONE)
        context.add_init_script(
            f"localStorage.setItem('ginrummy', {json.dumps(json.dumps(settings or CALM))})"
        )
        page = context.new_page()
        page.set_default_timeout(30_000)
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda told: told.type == "error" and faults.append(told.text))

        def check_host(request: Any) -> None:
            if not request.url.startswith((self.server.address, "data:", "blob:")):
                faults.append(f"request to another host: {request.url}")

        page.on("request", check_host)
        yield page
        assert faults == []
        context.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    from playwright.sync_api import sync_playwright

    SHOTS.mkdir(exist_ok=True)
    database = tmp_path_factory.mktemp("browser") / "games.sqlite"
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with serving(database) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=flags)
        made = Place(server, database, browser)
        yield made
        browser.close()
        made.store.close()
        check_log(server.lines)


def shot(page: Any, name: str, whole: bool = False) -> None:
    page.screenshot(path=SHOTS / f"{name}.png", full_page=whole)


def begin(place: Place, page: Any, opponent: str = "simple", rules: str = "eaai") -> str:
    """Begin a game by the API with the page's cookies, and open it; its id."""
    answer = page.context.request.post(
        f"{place.server.address}/api/games", data={"opponent": opponent, "rules": rules}
    )
    game = str(answer.json()["id"])
    page.goto(f"{place.server.address}/game/{game}")
    page.wait_for_selector(".hand .card")
    return game


def state_of(page: Any) -> dict[str, Any]:
    """What the table shows, once it is idle."""
    page.wait_for_function("window.ginrummyTable && ginrummyTable.state && !ginrummyTable.busy")
    return dict(page.evaluate("ginrummyTable.state"))


def after(page: Any, moves: int) -> None:
    """Wait until the answer to a move is shown."""
    page.wait_for_function(f"ginrummyTable.state.moves > {moves} && !ginrummyTable.busy")


def by_mouse(page: Any, state: dict[str, Any]) -> None:
    """Do with the mouse what a sensible person would do."""
    move = choose(state)
    match move["action"]:
        case "take":
            page.click("#pile")
        case "draw":
            page.click("#stock")
        case "discard":
            card = page.locator(f".hand [data-card='{move['card']}']")
            if state["moves"] % 3:
                card.click(position={"x": 8, "y": 20})
                page.click(".bar button:has-text('Discard')")
            else:
                card.drag_to(page.locator("#pile"), source_position={"x": 8, "y": 20})
            if move.get("then"):
                page.locator(".bar .main").first.click()
        case _:
            page.locator(".bar .main").last.click()


def by_key(page: Any, state: dict[str, Any]) -> None:
    """The same with keys alone."""
    move = choose(state)
    keys = {"take": "t", "draw": "d", "pass": "p", "deal": "n", "knock": "k"}
    if move["action"] == "discard":
        page.locator(".hand .card").first.focus()
        for _ in range(12):
            if page.evaluate("document.activeElement.dataset.card") == move["card"]:
                break
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.keyboard.press("d")
        if move.get("then"):
            page.keyboard.press("g" if page.locator("[data-key=g]").count() else "k")
    elif move["action"] == "defend":
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Enter")
    else:
        page.keyboard.press(keys[move["action"]])


def watch(page: Any, watcher: Watcher) -> None:
    """Hand every byte that the page gets to the watcher: answers and frames of sockets."""

    def answered(response: Any) -> None:
        if any(part in response.url for part in ("/static/", "/_nicegui/", "/figures/")):
            return  # the same for everybody, without a game
        if response.request.method != "OPTIONS" and response.status not in (101, 204, 304):
            watcher.saw(response.url, response.body())

    def opened(socket: Any) -> None:
        def came(frame: str | bytes) -> None:
            watcher.saw("socket", frame if isinstance(frame, bytes) else frame.encode())

        socket.on("framereceived", came)

    page.on("response", answered)
    page.on("websocket", opened)


def test_a_whole_game_by_mouse_with_every_byte_read(place: Place) -> None:
    with place.visit() as page:
        watcher = Watcher()
        watch(page, watcher)
        page.goto(place.server.address)
        page.wait_for_selector(".opponent.chosen")
        assert "simple" in page.inner_text(".opponent.chosen")
        shot(page, "home-desktop")
        page.click("#deal")
        page.wait_for_selector(".hand .card")
        shot(page, "table-desktop")
        first = page.url.rpartition("/")[2]
        state_of(page)
        watcher.names.add(first)
        watcher.check(place.record(first))
        game = begin(place, page, "simple", "eaai:target=40")
        watcher.names.add(game)
        watcher.names |= {cookie["value"] for cookie in page.context.cookies()}
        kept, open_hands = 0, 0  # decisions; rounds that ended with both hands on the table
        while (state := state_of(page))["phase"] != "game over":
            watcher.check(place.record(game))
            kept += state["phase"] == "discard"
            if state["phase"] == "round over" and state["showdown"]["defence"] and not open_hands:
                open_hands += 1
                page.wait_for_selector(".showdown .meld")
                shot(page, "showdown-desktop")
            by_mouse(page, state)
            after(page, state["moves"])
        watcher.check(place.record(game))
        assert kept > 0 and watcher.messages > 30  # a lucky game may be short
        page.wait_for_selector("#to-review")
        assert page.inner_text(".final")


def test_a_whole_game_by_keyboard(place: Place) -> None:
    with place.visit() as page:
        game = begin(place, page, "simple", "eaai:target=25")
        while (state := state_of(page))["phase"] != "game over":
            by_key(page, state)
            after(page, state["moves"])
        assert (
            place.store.engine and "game: " in place.record(game) and "unfinished" not in place.record(game)
        )


def test_a_discard_can_be_taken_back_and_cards_moved(place: Place) -> None:
    with place.visit(settings={"motion": False, "undo": 60}) as page:
        begin(place, page)
        state = state_of(page)
        while state["phase"] != "discard":
            by_mouse(page, state)
            after(page, state["moves"])
            state = state_of(page)
        card = state["discards"][0]["card"]
        page.locator(f".hand [data-card='{card}']").click(position={"x": 8, "y": 20})
        page.keyboard.press("d")
        page.wait_for_selector(".provisional")
        assert page.locator(".hand .card").count() == 10
        page.keyboard.press("u")
        assert page.locator(".hand .card").count() == 11 and state_of(page)["moves"] == state["moves"]
        order = "[...document.querySelectorAll('.hand .card')].map(card => card.dataset.card)"
        before = page.evaluate(order)
        page.locator(".hand .card").first.focus()
        page.keyboard.press("Shift+ArrowRight")
        moved = page.evaluate(order)
        assert moved[:2] == before[1::-1] and sorted(moved) == sorted(before)
        last = page.locator(".hand .card").last
        last.drag_to(page.locator(".hand .card").first, target_position={"x": 3, "y": 40})
        assert page.evaluate(order)[0] == moved[-1]
        page.click("text=by melds")
        assert sorted(page.evaluate(order)) == sorted(before)
        page.click(".tool:has-text('settings')")
        page.click("text=four-colour deck")
        assert page.evaluate("document.documentElement.classList.contains('four-colours')")


def test_the_coach_answers_beside_the_table(place: Place) -> None:
    for name, size in (("desktop", DESK), ("phone", PHONE)):
        with place.visit(size) as page:
            begin(place, page)
            state = state_of(page)
            page.click("#ask-coach")
            page.wait_for_selector("#coach-reason")
            assert page.locator(".options tbody tr").count() == len(state["actions"])
            assert page.locator(".heat-map td").count() == 52
            page.select_option("#estimator", "bayes")
            page.wait_for_function("ginrummyTable.coach.advice?.estimator === 'bayes'")
            shot(page, f"coach-{name}", whole=size is PHONE)
            by_mouse(page, state)  # the table goes on
            after(page, state["moves"])


def test_a_reload_in_the_middle_of_a_game_goes_on(place: Place) -> None:
    with place.visit() as page:
        begin(place, page, "hand-strength")
        for _ in range(5):
            state = state_of(page)
            by_mouse(page, state)
            after(page, state["moves"])
        state = state_of(page)
        page.reload()
        page.wait_for_selector(".hand .card")
        assert state_of(page) == state
        page.goto(place.server.address)
        page.click(".resume")
        page.wait_for_selector(".hand .card")
        assert state_of(page) == state


def test_two_people_play_at_once_and_see_their_own_games(place: Place) -> None:
    with place.visit() as ann, place.visit() as bob:
        games = [begin(place, ann, "simple"), begin(place, bob, "champion")]
        for _ in range(4):
            for page in (ann, bob):
                state = state_of(page)
                by_mouse(page, state)
                after(page, state["moves"])
        assert [state_of(page)["id"] for page in (ann, bob)] == games
        bob.goto(f"{place.server.address}/game/{games[0]}")
        bob.wait_for_selector("text=no game with this id")


def test_review_quiz_branch_laboratory_and_positions(place: Place) -> None:
    with place.visit() as page:
        context, address = page.context.request, place.server.address
        state = context.post(
            f"{address}/api/games", data={"opponent": "simple", "rules": "eaai:target=40"}
        ).json()
        while state["phase"] != "game over":
            state = context.post(f"{address}/api/games/{state['id']}/act", data=choose(state)).json()
        page.goto(f"{address}/review/{state['id']}")
        page.wait_for_selector("#slider", timeout=90_000)
        page.wait_for_selector("#detail h2")
        shot(page, "review-desktop")
        before = page.inner_text("#detail")
        page.keyboard.press("ArrowRight")
        assert page.inner_text("#detail") != before
        assert re.search(r"error rate [\d.]+ %", page.inner_text("#review"))
        page.set_viewport_size(PHONE)
        shot(page, "review-phone", whole=True)
        page.set_viewport_size(DESK)
        page.evaluate("ginrummyReview.go(0)")
        page.click("#branch")
        page.wait_for_selector(".hand .card")
        assert state_of(page)["phase"] in ("draw", "discard")
        page.goto(f"{address}/quiz")
        page.wait_for_selector("#quiz .choices, #quiz p")
        if page.locator(".choices").count():
            page.locator(".choices button").first.click()
            page.wait_for_selector("#next-question")
        shot(page, "quiz-desktop")
        page.goto(f"{address}/laboratory")
        page.wait_for_selector(".standings")
        page.click("#play-match")
        page.wait_for_function("document.getElementById('match-words')?.innerText.includes('interval')")
        shot(page, "laboratory-desktop", whole=True)
        page.goto(f"{address}/editor")
        page.fill("#position-line", "eaai 1 0-0 0-0 0 QCKC8H4S6S9S5D9DTDQD ???????????????????? 31 JH")
        page.click("#ask-position")
        page.wait_for_selector("#coach-reason")


def test_the_page_fits_a_phone_and_speaks_to_a_screen_reader(place: Place) -> None:
    with place.visit(PHONE) as page:
        for name, path in (("home", "/"), ("laboratory", "/laboratory"), ("games", "/games")):
            page.goto(place.server.address + path)
            page.wait_for_selector("h1")
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= PHONE["width"] + 1, f"{path} is {wide} pixels wide"
            shot(page, f"{name}-phone")
        begin(place, page)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"] + 1
        shot(page, "table-phone")
        page.click("#ask-coach")
        page.wait_for_selector("#coach-reason")
        for _ in range(40):
            state = state_of(page)
            if state["phase"] == "round over":
                break
            by_mouse(page, state)
            after(page, state["moves"])
        shot(page, "showdown-phone")
        if state["showdown"]["knock"]:  # the belief beside the cards that were shown
            assert page.locator(".heat-map .held").count() >= 10
        begin(place, page)
        boxes = page.evaluate(
            "[...document.querySelectorAll('.hand .card')].map(c => c.getBoundingClientRect().right)"
        )
        assert max(boxes) <= PHONE["width"]
        assert page.get_attribute("#status", "aria-live") == "polite" and page.inner_text("#status")
        names = page.evaluate("[...document.querySelectorAll('.hand .card')].map(c => c.ariaLabel)")
        assert all(re.match(r"(ace|[a-z]+) of (clubs|hearts|spades|diamonds)", name) for name in names)
        unnamed = (
            "[...document.querySelectorAll('button')].filter(b => !b.ariaLabel && !b.innerText.trim()).length"
        )
        assert page.evaluate(unnamed) == 0
