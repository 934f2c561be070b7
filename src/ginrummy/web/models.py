"""What the JSON API takes and gives, as checked values. A card is its text: ``7H``, ``TD``.

Nothing in these values can hold a hidden card: ``state`` fills them from what the person sees.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

CARD = r"^([A2-9TJQK]|10)[CHSDchsd]$"

CardText = Annotated[str, StringConstraints(pattern=CARD, strip_whitespace=True, to_upper=True)]
MeldText = Annotated[list[CardText], Field(max_length=13)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Asked(BaseModel):
    """A request's body: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class NewGame(Asked):
    """A game to begin."""

    opponent: Name | None = Field(None, description="A name of /api/players; a fitting one if left out.")
    rules: Name = Field("eaai", description="A preset, or preset:key=value,… .")
    deals: Literal["me", "opponent", "chance"] = Field(
        "chance", description="Who deals the first round; the other side starts."
    )


class Move(Asked):
    """One action of the person, on a known state of the game."""

    moves: int = Field(ge=0, le=10**9, description="`moves` of the state that the action answers.")
    action: Literal["take", "draw", "pass", "discard", "knock", "play on", "defend", "deal"]
    card: CardText | None = Field(None, description="The card to discard.")
    melds: Annotated[list[MeldText], Field(max_length=4)] | None = Field(
        None, description="Melds to lay down with a knock or a defence; the best ones if left out."
    )
    then: Literal["knock", "play on"] | None = Field(
        None, description="With a discard: what to do when the hand left may knock."
    )


class Player(BaseModel):
    """An opponent to choose."""

    name: str
    title: str
    summary: str
    character: str
    rating: float | None = Field(description="Elo, `simple` is 1500; none if not measured.")
    rating_low: float | None = Field(description="95 % interval.")
    rating_high: float | None
    fitting: bool = Field(description="Whether it suits this visitor's results so far.")


class Shown(BaseModel):
    """A hand laid open at the end of a round."""

    melds: list[list[str]]
    loose: list[str]
    layoffs: list[tuple[str, int]] = Field(description="Card, and the knocker's meld that it went on.")
    left: int = Field(description="Deadwood.")


class Event(BaseModel):
    """Something that everybody at the table saw."""

    kind: Literal["deal", "pass", "take", "draw", "reach", "discard", "knock", "round over", "game over"]
    mine: bool | None = None
    card: str | None = Field(None, description="None for the opponent's draw from the stock.")
    text: str


class Showdown(BaseModel):
    """How the last round ended."""

    outcome: str
    mine: bool | None = Field(description="Whether the person scored.")
    points: int
    capped: bool
    knocked: bool | None = Field(description="Whether the person knocked; None in a dead round.")
    knock: Shown | None
    defence: Shown | None
    text: str


class SheetRow(BaseModel):
    """A line of the score sheet."""

    round: int
    outcome: str
    mine: bool | None
    points: int
    scores: tuple[int, int] = Field(description="The person's, then the opponent's.")


class DiscardChoice(BaseModel):
    """A card that may be discarded."""

    card: str
    left: int = Field(description="Least deadwood of the ten cards left.")
    knocks: list[list[list[str]]] = Field(description="Best meld sets to knock with; none if not allowed.")
    play_on: bool = Field(description="Whether the person may discard it without a knock.")


class Result(BaseModel):
    """How the game ended."""

    won: bool | None
    scores: tuple[int, int]
    totals: tuple[int, int]


class State(BaseModel):
    """What the person sees of a game."""

    id: str
    opponent: str
    opponent_title: str
    rules: str
    target: int
    moves: int = Field(description="Counts the changes of this game.")
    phase: Literal["draw", "discard", "knock", "defend", "round over", "game over"]
    round: int
    starts: bool = Field(description="Whether the person started this round.")
    hand: list[str]
    drawn: str | None = Field(description="The card drawn in this turn.")
    deadwood: int
    melds: list[list[str]] = Field(description="One best arrangement of the hand.")
    upcard: str | None
    pile: list[str] = Field(description="The discard pile from the bottom to the upcard.")
    stock: int
    opponent_cards: int
    opponent_known: list[str] = Field(description="Cards that the opponent took and has not discarded.")
    limit: int = Field(description="Greatest deadwood to knock with in this round.")
    actions: list[str]
    discards: list[DiscardChoice]
    choices: list[Shown] = Field(
        description="Ways to lay the hand down now (knock without a discard, defence)."
    )
    opponent_melds: list[list[str]] = Field(description="The knocker's melds, before the defence.")
    scores: tuple[int, int]
    sheet: list[SheetRow]
    events: list[Event] = Field(description="This round so far.")
    showdown: Showdown | None
    result: Result | None


class Listed(BaseModel):
    """A game in the visitor's list."""

    id: str
    opponent: str
    opponent_title: str
    kind: str
    finished: bool
    won: bool | None
    scores: tuple[int, int] | None
    created: float
    changed: float


class Waiting(BaseModel):
    """How many requests are computed before the visitor's own."""

    ahead: int
    busy: bool


class Fault(BaseModel):
    """An error: one clear line."""

    error: str
