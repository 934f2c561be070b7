"""What the JSON API takes and gives, as checked values. A card is its text: ``7H``, ``TD``.

Nothing in these values can hold a hidden card: ``state`` fills them from what the person sees.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

CARD = r"^([A2-9TJQK]|10)[CHSDchsd]$"

CardText = Annotated[str, StringConstraints(pattern=CARD, strip_whitespace=True, to_upper=True)]
MeldText = Annotated[list[CardText], Field(max_length=13)]
EventKind = Literal["deal", "pass", "take", "draw", "reach", "discard", "knock", "round over", "game over"]
Phase = Literal["draw", "discard", "knock", "defend", "round over", "game over"]
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

    kind: EventKind
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
    phase: Phase
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
    choices: list[Shown] = Field(description="Ways to lay the hand down now, in a knock or a defence.")
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


Number = tuple[float, float]
"""A value and its standard error."""


class OutCards(BaseModel):
    """Unseen cards that would help."""

    cards: list[str]
    live: float = Field(description="How many of them are in the stock, by the belief.")
    gin: list[str]
    knock: list[str]


class DiscardFacts(BaseModel):
    """What a discard gives away and leaves."""

    left: int
    danger: float = Field(description="Chance that the opponent can meld the card.")
    gain: float = Field(description="Points that it would save the opponent, on the average.")
    outs: list[str]
    live: float


class Ends(BaseModel):
    """How the round ends, as shares that add up to 1."""

    knock: float
    gin: float
    undercut: float
    opponent_knock: float
    opponent_gin: float
    opponent_undercut: float
    dead: float


class AdviceOption(BaseModel):
    """One legal answer and what it is worth."""

    text: str
    win: Number = Field(description="Chance to win the game, and its standard error.")
    points: Number = Field(description="Points of the round, and their standard error.")
    behind: Number = Field(description="How far it is behind the best answer.")
    ends: Ends
    discard: DiscardFacts | None


class KnockOdds(BaseModel):
    """A knock now beside playing on."""

    text: str
    win: Number
    wins: float
    undercut: float
    gin: bool
    on_text: str
    on_win: Number
    gin_later: float
    knock_later: float
    undercut_later: float
    opponent_gin: float
    opponent_knock: float
    opponent_undercut: float
    dead: float


class Advice(BaseModel):
    """What the coach says about the decision that you face."""

    question: str
    reason: str
    options: list[AdviceOption]
    knock: KnockOdds | None
    outs: OutCards | None
    estimator: str
    chances: dict[str, float] = Field(description="Card -> chance that the opponent holds it.")
    types: dict[str, float]
    deadwood: int
    opponent_deadwood: Number
    rollouts: int
    seconds: float


class Position(Asked):
    """A decision to ask the coach about, as a line of the position format."""

    position: Annotated[str, StringConstraints(min_length=1, max_length=4000)]
    estimator: Name = "joint"


class Setup(Asked):
    """A table put together by hand, to ask the coach about."""

    hand: Annotated[list[CardText], Field(max_length=11)] = Field(
        description="Ten cards before a draw; eleven before a discard, the card just drawn last."
    )
    pile: Annotated[list[CardText], Field(max_length=30)] = Field(description="The upcard last.")
    known: Annotated[list[CardText], Field(max_length=10)] = Field(
        default_factory=list, description="Cards that the opponent is known to hold."
    )
    scores: tuple[Annotated[int, Field(ge=0, le=999)], Annotated[int, Field(ge=0, le=999)]] = (0, 0)
    rules: Name = "eaai"
    estimator: Name = "joint"


class ReviewProgress(BaseModel):
    """A review, or how far it is."""

    ready: bool
    done: int = 0
    total: int = 0
    review: dict[str, object] | None = None
    error: str | None = None


class Branch(Asked):
    """A moment of a finished game to play on from."""

    round: int = Field(ge=0, le=1000, description="Which round of the record, from 0.")
    action: int = Field(ge=0, le=1000, description="Before this action of the round, from 0.")
    opponent: Name
    seat: Literal[0, 1] | None = Field(None, description="Yours; the one that the record calls person.")
    hidden: Literal["kept", "redrawn"] = Field(
        "redrawn", description="The opponent's cards and the stock: as they were, or others that fit."
    )


class Upload(Asked):
    """A record to keep and review."""

    record: Annotated[str, StringConstraints(min_length=1, max_length=400_000)]
    seat: int = Field(0, ge=0, le=1, description="Whose decisions are judged.")


class Uploaded(BaseModel):
    """Where an uploaded record is."""

    id: str


class Question(BaseModel):
    """A decision that went wrong, to be found again."""

    game: str
    opponent: str
    question: str
    hand: list[str]
    upcard: str | None
    drawn: str | None
    pile: list[str]
    stock: int
    opponent_known: list[str]
    scores: tuple[int, int]
    options: list[str]
    answer: str
    played: str
    loss: Number
    reason: str
