"""A class of Java players, loaded and checked, in several copies that know nothing of each other.

Every copy has a class loader of its own, so players whose classes have the same names can meet. Both sides of
a table have different copies, and so have even and odd games: what a class keeps in static fields does not
reach its opponent, nor the other game of a mirrored pair, where the same cards are dealt. Copies live as long
as the process, since JPype keeps every class.
"""

from typing import Any, NamedTuple

from ginrummy.bridges.eaai import machine
from ginrummy.bridges.eaai.follower import JavaFollower
from ginrummy.cards import CARDS, parse_card
from ginrummy.errors import PlayerError, UnknownName, shortened
from ginrummy.players.java import JavaSpec, class_files

INTERFACE = "GinRummyPlayer"
NEEDED = (
    "startGame", "willDrawFaceUpCard", "reportDraw", "getDiscard", "reportDiscard", "getFinalMelds",
    "reportFinalMelds", "reportScores",
)  # fmt: skip
"""Methods of the interface that every version of the framework has."""
LATER = ("reportLayoff", "reportFinalHand")
"""Methods that its first version did not have: a player without them is not told."""

_CLASSES: dict[tuple[object, ...], "Loaded"] = {}


class Loaded:
    """The copies of a class, by side and by even and odd games."""

    def __init__(self, spec: JavaSpec) -> None:
        self.spec = spec
        self._copies: dict[tuple[int, int], _Copy] = {}

    def __call__(self, game: int, side: int) -> JavaFollower:
        """A new instance for one side of a game."""
        key = side, game & 1
        if key not in self._copies:
            self._copies[key] = _Copy(self.spec)
        return self._copies[key].sit()


def loaded(spec: JavaSpec) -> Loaded:
    """The class that a spec names, loaded once for each state of its files."""
    stamps = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for _, path in class_files(spec.text)]
    key = (spec, *stamps)
    if key not in _CLASSES:
        _CLASSES[key] = Loaded(spec)
    return _CLASSES[key]


class Deck(NamedTuple):
    """The framework's own card objects."""

    cards: list[Any]
    """[52] by our ids."""
    ids: list[int]
    """Our id of each card, in the framework's order."""
    index_of: Any
    """The place of a card object in the framework's order, -1 for any other object; by identity."""


class _Copy:
    """A class in a class loader of its own, with the framework's classes that it was compiled against."""

    def __init__(self, spec: JavaSpec) -> None:
        self.spec = spec
        self.jpype = machine.start(spec.cwd)
        with machine.within(spec.cwd):
            self._class = self._load()
            interface = self._interface()
            self.methods = self._methods(interface)
            self.constructor = self._constructor()
            self.deck = self._deck()

    def sit(self) -> JavaFollower:
        """A new instance."""
        with machine.within(self.spec.cwd):
            try:
                instance = self.constructor.newInstance()
            except self.jpype.JException as error:
                raise self._failed("its constructor failed", error) from None
        return JavaFollower(self.jpype, instance, self.deck, self.methods, self.spec.cwd)

    def _load(self) -> Any:
        java = self.jpype.JClass
        file = java("java.io.File")
        urls = [file(str(place)).toURI().toURL() for place in self.spec.classpath]
        loader = java("java.net.URLClassLoader")(urls, java("java.lang.ClassLoader").getPlatformClassLoader())
        java("java.lang.Thread").currentThread().setContextClassLoader(loader)
        try:
            return java("java.lang.Class").forName(self.spec.class_name, True, loader)
        except self.jpype.JException as error:
            kind = str(error.getClass().getSimpleName())
            if kind == "NoClassDefFoundError" and "wrong name" not in str(error.getMessage()):
                missing = str(error.getMessage()).replace("/", ".")
                raise UnknownName(
                    f"cannot load player {self.spec.text!r}: it needs the class {missing}, which is not in "
                    "the classpath; add the classes of the challenge's framework that it was compiled against"
                ) from None
            if kind == "UnsupportedClassVersionError":
                raise UnknownName(
                    f"cannot load player {self.spec.text!r}: it was compiled for a newer Java than the one "
                    f"found here ({shortened(str(error.getMessage()))})"
                ) from None
            raise self._failed("its class cannot be loaded", error) from None

    def _interface(self) -> Any:
        """The framework's interface, as this class implements it."""
        found = self._class
        while found is not None:
            waiting = list(found.getInterfaces())
            while waiting:
                one = waiting.pop()
                if str(one.getSimpleName()) == INTERFACE:
                    return one
                waiting += one.getInterfaces()
            found = found.getSuperclass()
        raise UnknownName(
            f"cannot load player {self.spec.text!r}: the class does not implement {INTERFACE}, the interface "
            "of the challenge's framework"
        )

    def _methods(self, interface: Any) -> frozenset[str]:
        """The names of the interface's methods."""
        methods = {str(method.getName()): method for method in interface.getMethods()}
        missing = [name for name in NEEDED if name not in methods]
        if missing:
            raise UnknownName(
                f"cannot load player {self.spec.text!r}: its {INTERFACE} has no {', '.join(missing)}: it is "
                "not the challenge's interface"
            )
        self._card = methods["willDrawFaceUpCard"].getParameterTypes()[0]
        return frozenset(name for name in (*NEEDED, *LATER) if name in methods)

    def _constructor(self) -> Any:
        modifier = self.jpype.JClass("java.lang.reflect.Modifier")
        try:
            found = self._class.getDeclaredConstructor()
        except self.jpype.JException:
            found = None
        if found is None or modifier.isAbstract(self._class.getModifiers()):
            raise UnknownName(
                f"cannot load player {self.spec.text!r}: the class has no constructor without arguments"
            )
        found.setAccessible(True)
        return found

    def _deck(self) -> Deck:
        """The 52 cards of the framework's class ``Card``, in its array ``allCards``."""
        java = self.jpype.JClass
        try:
            all_cards = java(self._card).allCards
            ids = [parse_card(str(card.toString())) for card in all_cards]
        except (self.jpype.JException, AttributeError, ValueError, TypeError) as error:
            raise self._no_cards(error) from None
        if sorted(ids) != list(range(CARDS)):
            raise self._no_cards("it has not 52 different cards")
        objects = list(all_cards)
        cards = [objects[ids.index(card)] for card in range(CARDS)]
        return Deck(cards, ids, java("java.util.Arrays").asList(all_cards).indexOf)

    def _no_cards(self, why: object) -> UnknownName:
        return UnknownName(
            f"cannot load player {self.spec.text!r}: the class {self._card.getName()} has no array allCards "
            f"of the 52 cards, as that of the challenge's framework does: {shortened(str(why))}"
        )

    def _failed(self, what: str, error: Any) -> PlayerError:
        cause = error.getCause() or error
        return PlayerError(
            f"cannot load player {self.spec.text!r}: {what}: {shortened(str(cause.toString()))}",
            str(error.stacktrace()),
        )
