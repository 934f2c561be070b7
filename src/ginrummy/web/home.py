"""The first page: choose an opponent, the rules and who deals."""

from html import escape

from fastapi import Request
from nicegui import ui

from ginrummy.errors import GinRummyError
from ginrummy.rules import PRESETS
from ginrummy.web import models
from ginrummy.web.api import done
from ginrummy.web.frame import frame, heading
from ginrummy.web.house import House
from ginrummy.web.visitors import visitor_of

RULES = {
    "eaai": "Standard: gin 25, undercut 25, to 100",
    "uk": "British: gin 20, undercut 10",
    "us-boxes": "American with boxes and big gin",
    "oklahoma": "Oklahoma: the first upcard sets the knock limit",
    "straight": "Straight gin: no knocking",
    "openspiel": "One round, as OpenSpiel plays it",
}
"""Presets in words."""
DEALS = {"chance": "chance decides", "me": "I deal", "opponent": "the opponent deals"}


def rating_words(player: models.Player) -> str:
    """A measured rating with its interval."""
    if player.rating is None or player.rating_low is None or player.rating_high is None:
        return "not rated"
    return f"{player.rating:.0f} ± {(player.rating_high - player.rating_low) / 2:.0f}"


def add(house: House) -> None:
    """Register the page."""

    @ui.page("/")
    def home(request: Request) -> None:
        visitor = visitor_of(request)
        games = house.store.games(visitor)
        players = house.catalogue.players(games)
        with frame("Gin Rummy"):
            heading("Play Gin Rummy")
            _going_on(house, visitor)
            _choice(house, visitor, players)


def _going_on(house: House, visitor: str) -> None:
    """The game that the visitor left in its middle."""
    for game in house.games(visitor):
        if not game.finished and game.kind != "uploaded":
            scores = game.scores or (0, 0)
            with ui.element("a").classes("act main resume").props(f'href="/game/{game.id}"'):
                words = f"Go on against {game.opponent_title}, {scores[0]} to {scores[1]}"
                ui.html(escape(words), sanitize=False, tag="span")
            return


def _choice(house: House, visitor: str, players: list[models.Player]) -> None:
    chosen = next(player.name for player in players if player.fitting)
    picked = {"opponent": chosen}
    heading("Opponent", 2)
    measured = any(player.rating is not None for player in players)
    ui.html(
        "The weakest first. Ratings are Elo with 95 % intervals, measured in matches; <i>simple</i> is 1500."
        if measured
        else "No ratings were found: the evidence files of matches are not installed here.",
        sanitize=False,
        tag="p",
    ).classes("muted")
    with ui.element("div").classes("opponents").props('role="radiogroup" aria-label="Opponent"') as group:
        cards = {player.name: _opponent(player) for player in players}

    def pick(name: str) -> None:
        picked["opponent"] = name
        for other, card in cards.items():
            card.classes(add="chosen") if other == name else card.classes(remove="chosen")
            card.props(f'aria-checked="{"true" if other == name else "false"}"')

    for name, card in cards.items():
        card.on("click", lambda _, name=name: pick(name))
    pick(chosen)
    assert group is not None
    with ui.element("div").classes("order"):
        rules = ui.select({name: RULES.get(name, name) for name in PRESETS}, value="eaai", label="Rules")
        rules.classes("field").props('id="rules" outlined dense')
        deals = ui.select(DEALS, value="chance", label="Deal").classes("field").props("outlined dense")

        async def begin() -> None:
            start.disable()
            try:
                asked = models.NewGame(opponent=picked["opponent"], rules=rules.value, deals=deals.value)
                state = await done(house.begin(visitor, asked))
            except GinRummyError as error:
                start.enable()
                ui.notify(str(error), type="negative")
                return
            ui.navigate.to(f"/game/{state.id}")

        start = ui.button("Deal", on_click=begin, color=None).classes("deal").props('no-caps id="deal"')


def _opponent(player: models.Player) -> ui.element:
    title = "Suits you now. " if player.fitting else ""
    with ui.element("button").classes("opponent").props('type="button" role="radio"') as card:
        ui.html(
            f"<b>{escape(player.title)}</b><span class='rating'>{escape(rating_words(player))}</span>"
            f"<span class='line'>{'<i>' + title + '</i>' if title else ''}{escape(player.character)}</span>",
            sanitize=False,
            tag="span",
        ).classes("inside")
    return card
