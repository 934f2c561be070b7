"""Paper S1's ambi-superpermutations: Definition 1, Lemma 2, Theorem 3, and the lengths that it states."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from ginrummy.estimators.superpermutations import (
    ASP3,
    ASP4,
    covered,
    is_ambi_superpermutation,
    is_superpermutation,
    reach,
    shortest,
    stars,
    subpermutations,
    windows,
)

SYMBOLS = "1234"


def holds(text: str, order: str) -> bool:
    return order in text or order[::-1] in text


def least_length(n: int, longest: int) -> int | None:
    """Length of the shortest ambi-superpermutation, by following all texts at once; None if above ``longest``.

    Shares nothing with the search of the package: a state is the last n - 1 symbols and the set of orders seen,
    and a table of bits says which states some text of the present length can reach. Every text counts, whatever
    it begins with.
    """
    symbols = "123456789"[:n]
    classes = sorted({min(order, order[::-1]) for order in map("".join, permutations(symbols))})
    tails = ["".join(tail) for tail in product(symbols, repeat=n - 1)]
    sets = np.arange(1 << len(classes))
    reached = np.zeros((len(tails), len(sets)), bool)
    reached[:, 0] = True
    for length in range(n, longest + 1):
        after = np.zeros_like(reached)
        for row, tail in enumerate(tails):
            for symbol in symbols:
                window = tail + symbol
                name = min(window, window[::-1])
                seen = sets | (1 << classes.index(name) if name in classes else 0)
                after[tails.index(window[1:]), seen[reached[row]]] = True
        reached = after
        if reached[:, -1].any():
            return length
    return None


def test_the_papers_strings_hold_every_order() -> None:
    assert len(ASP4) == 17
    assert all(holds(ASP4, "".join(order)) for order in permutations(SYMBOLS))
    assert is_ambi_superpermutation(ASP4, 4)
    assert len(covered(ASP4, 4, ambi=True)) == 12
    assert covered(ASP3, 3, ambi=True) == {"123", "132", "213"}
    assert is_ambi_superpermutation(ASP3, 3)


def test_one_symbol_less_and_an_order_is_missing() -> None:
    assert not is_ambi_superpermutation(ASP4[1:], 4)
    assert not is_ambi_superpermutation(ASP4[:-1], 4)
    assert not is_superpermutation(ASP4, 4)  # twelve of the orders stand in it backwards only
    assert not is_ambi_superpermutation(ASP4 + "5", 4)
    assert is_ambi_superpermutation(ASP4[::-1], 4)


def test_star_diagrams() -> None:
    """Theorem 3's proof: each order once, 48 stars, three columns with four of them."""
    assert stars(ASP3, 3) == [1, 2, 3, 2, 1]
    assert stars(ASP4, 4) == [1, 2, 3, 4, 3, 3, 3, 3, 4, 3, 3, 3, 3, 4, 3, 2, 1]
    assert sum(stars(ASP4, 4)) == 48
    assert stars(ASP4, 4).count(4) == 3
    assert len(subpermutations(ASP4, 4)) == len(covered(ASP4, 4, ambi=True))


def test_seventeen_is_least_for_four_elements() -> None:
    assert least_length(4, 16) is None
    assert least_length(4, 17) == 17
    assert len(shortest(4, ambi=True)) == 17


@pytest.mark.parametrize(("n", "length"), [(1, 1), (2, 2), (3, 5), (5, 77)])
def test_least_lengths_of_other_numbers(n: int, length: int) -> None:
    """The paper has 5 for three elements; 77 for five is ours."""
    found = shortest(n, ambi=True)
    assert len(found) == length
    assert all(holds(found, "".join(order)) for order in permutations("12345"[:n]))
    if n in (2, 3):
        assert least_length(n, 8) == length


@pytest.mark.parametrize(("n", "length"), [(1, 1), (2, 3), (3, 9), (4, 33)])
def test_least_superpermutations(n: int, length: int) -> None:
    """The paper states 33 for four elements; 1, 3 and 9 are well known."""
    found = shortest(n, ambi=False)
    assert len(found) == length
    assert is_superpermutation(found, n)
    assert all("".join(order) in found for order in permutations("1234"[:n]))


def test_what_wasted_symbols_reach() -> None:
    assert reach(4, ambi=False)[0] == [4, 8, 12, 14, 18, 20, 24]
    assert reach(4, ambi=True)[0] == [4, 8, 12]


@pytest.mark.parametrize("ambi", [False, True])
def test_reach_against_every_text(ambi: bool) -> None:
    """All texts of three elements up to nine symbols: none does better than the table says."""
    most, _ = reach(3, ambi=ambi)
    best: dict[int, int] = {}
    for length in range(3, 10):
        for text in map("".join, product("123", repeat=length)):
            found = len(covered(text, 3, ambi=ambi))
            if found:
                waste = length - 2 - found
                best[waste] = max(best.get(waste, 0), found)
    assert [best[waste] for waste in range(len(most))] == most


def test_lemma_2_in_its_corrected_form() -> None:
    """Two neighbours a, b with four stars each stand in bcdabcda, at its fourth and fifth symbol.

    The paper prints bcadbca, of seven symbols, and equates it with 23412341, of eight; the latter is right. A
    symbol's four subpermutations lie within three symbols of it, so eight symbols are all there is to look at.
    """
    met = set()
    for text in map("".join, product(SYMBOLS, repeat=8)):
        uses = stars(text, 4)
        if uses[3] == uses[4] == 4:
            b, c, d, a = text[:4]
            assert text == b + c + d + a + b + c + d + a
            assert (text[3], text[4]) == (a, b)
            assert b + c + a + d + b + c + a not in text
            met.add(text)
    assert len(met) == 24
    assert "23412341" in met


def test_theorem_3_step_by_step() -> None:
    # Sixteen symbols have thirteen windows, and room for 52 stars.
    room = stars((SYMBOLS * 4), 4)
    assert room == [1, 2, 3, *[4] * 10, 3, 2, 1]
    assert sum(room) == 52
    # With no two neighbours of four stars they hold 47 at most: twelve orders of four stars each do not fit.
    apart = {False: 0, True: -100}
    for most in room:
        apart = {False: max(apart.values()) + min(most, 3), True: apart[False] + (4 if most == 4 else -100)}
    assert max(apart.values()) == 47 < 12 * 4
    # So bcdabcda stands in the text, with one order twice; the other eleven need all thirteen windows.
    assert len(windows("23412341", 4)) == 5
    assert len(covered("23412341", 4, ambi=True)) == 4
    # A text whose windows are all orders has period four, and covers four orders of the twelve.
    assert subpermutations(SYMBOLS * 4, 4) == windows(SYMBOLS * 4, 4)
    assert len(covered(SYMBOLS * 4, 4, ambi=True)) == 4
    for text in map("".join, product(SYMBOLS, repeat=5)):
        if len(subpermutations(text, 4)) == 2:
            assert text[4] == text[0]


def test_elements_are_one_to_nine() -> None:
    for n in (0, 10):
        with pytest.raises(ValueError, match="expected 1 to 9 elements"):
            is_ambi_superpermutation("1", n)
