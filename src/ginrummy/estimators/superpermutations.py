"""Superpermutations and ambi-superpermutations: strings that hold every order of n symbols.

An ambi-superpermutation (ASP) of n elements is a string over 1…n in which each permutation appears as n
neighbouring symbols, read forwards or backwards. The seventeen rows of a stacked Shankar array follow an ASP
of four elements, so that every order of the suits appears somewhere in the array.

Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy" (EAAI 2021),
Definition 1, Lemma 2 and Theorem 3. Where the paper prints bcadbca in Lemma 2 it means bcdabcda: its own
proof ends with 23412341, which has eight symbols.

The search is Benjamin Chaffin's (2014): a symbol is *wasted* when it completes no new permutation. A table
holds the most permutations that a string with w wasted symbols can have. It is filled for w = 0, 1, 2 and so
on, because its earlier entries bound what the rest of a string can add. The first w that reaches all
permutations proves that no shorter string exists.
"""

from itertools import permutations

from ginrummy.errors import BadInput

ASP3 = "12312"
"""The paper's ambi-superpermutation of three elements, a shortest one."""
ASP4 = "12341231423124312"
"""The paper's ambi-superpermutation of four elements, a shortest one."""
MAX_N = 9


def windows(text: str, n: int) -> list[str]:
    """Every n neighbouring symbols of a text, from left to right."""
    return [text[start : start + n] for start in range(len(text) - n + 1)]


def subpermutations(text: str, n: int) -> list[str]:
    """The windows that are permutations of 1…n, from left to right, repetitions included."""
    symbols = set(_symbols(n))
    return [window for window in windows(text, n) if set(window) == symbols]


def covered(text: str, n: int, *, ambi: bool) -> set[str]:
    """The different permutations in a text; with ``ambi`` the lower of an order and its reverse."""
    found = subpermutations(text, n)
    return {min(one, one[::-1]) for one in found} if ambi else set(found)


def is_superpermutation(text: str, n: int) -> bool:
    """Whether each permutation of 1…n appears in the text, read forwards, and only 1…n are used."""
    return set(text) <= set(_symbols(n)) and len(covered(text, n, ambi=False)) == _orders(n, ambi=False)


def is_ambi_superpermutation(text: str, n: int) -> bool:
    """Whether each permutation of 1…n appears in the text, read forwards or backwards (Definition 1)."""
    return set(text) <= set(_symbols(n)) and len(covered(text, n, ambi=True)) == _orders(n, ambi=True)


def stars(text: str, n: int) -> list[int]:
    """The paper's star diagram in numbers: how many subpermutations use each symbol of the text."""
    symbols = set(_symbols(n))
    uses = [0] * len(text)
    for start, window in enumerate(windows(text, n)):
        if set(window) == symbols:
            for place in range(start, start + n):
                uses[place] += 1
    return uses


def reach(n: int, *, ambi: bool) -> tuple[list[int], str]:
    """The most permutations of a string with 0, 1, 2… wasted symbols, up to all; and a string that has all.

    A text with w wasted symbols that covers c permutations has n - 1 + c + w symbols, so a shortest string
    has the least w that reaches all. Five elements are within easy reach with ``ambi``, not without it.
    """
    search = _Search(n, ambi)
    while not search.most or search.most[-1] < search.total:
        search.deepen()
    return search.most, search.best


def shortest(n: int, *, ambi: bool) -> str:
    """A shortest superpermutation or ambi-superpermutation of n elements, by exhaustive search."""
    return reach(n, ambi=ambi)[1]


class _Search:
    """Depth-first search over texts that begin with 12…n.

    A shortest text begins with a permutation, and its symbols can be renamed to 12…n.
    """

    def __init__(self, n: int, ambi: bool) -> None:
        self.start = _symbols(n)
        self.total = _orders(n, ambi=ambi)
        self.bit: dict[str, int] = {}
        for order in map("".join, permutations(self.start)):
            self.bit[order] = self.bit.get(order[::-1], 1 << len(self.bit)) if ambi else 1 << len(self.bit)
        self.most: list[int] = []
        self.best = self.start
        self.top = 0

    def deepen(self) -> None:
        """Allow one more wasted symbol than before and note the most permutations reached."""
        self.top = 0
        self._extend(self.start, self.bit[self.start], 1, len(self.most))
        self.most.append(self.top)

    def _extend(self, text: str, seen: int, found: int, waste: int) -> None:
        if found > self.top:
            self.top = found
            self.best = text
        if self.top == self.total or (waste < len(self.most) and found + self.most[waste] <= self.top):
            return
        tail = text[len(text) - len(self.start) + 1 :]
        for symbol in self.start:
            bit = self.bit.get(tail + symbol, 0)
            if bit & ~seen:
                self._extend(text + symbol, seen | bit, found + 1, waste)
            elif waste:
                self._extend(text + symbol, seen, found, waste - 1)


def _symbols(n: int) -> str:
    if not 1 <= n <= MAX_N:
        raise BadInput(f"expected 1 to {MAX_N} elements, got {n}")
    return "123456789"[:n]


def _orders(n: int, *, ambi: bool) -> int:
    """How many permutations there are; an order and its reverse count once with ``ambi``."""
    total = 1
    for factor in range(2, n + 1):
        total *= factor
    return total // 2 if ambi and n > 1 else total
