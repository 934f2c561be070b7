"""What counts as an answer of a player: whole numbers of the right shape and range, and nothing else.

A card of 256 + 7 or of 7.9 is not card 7: it is refused, never rounded or truncated.
"""

from typing import Any, NamedTuple

import numpy as np

from ginrummy.errors import IllegalAction
from ginrummy.melds import MAX_MELDS
from ginrummy.view import IntArray


class _Form(NamedTuple):
    """How a question is answered."""

    dtype: Any
    least: int
    greatest: int
    words: str
    width: tuple[int, ...] = ()


_YES_OR_NO = _Form(np.dtype(np.bool_), 0, 1, "yes or no (a bool, 0 or 1)")
_CARD = _Form(np.dtype(np.int8), -128, 127, "a card as an integer")
_MELDS = _Form(np.dtype(np.int64), 0, 2**63 - 1, "melds as masks", (MAX_MELDS,))
_FORMS = {"draw": _YES_OR_NO, "discard": _CARD, "knock": _YES_OR_NO, "spread": _MELDS}


def answer_shape(question: str, size: int) -> tuple[int, ...]:
    """The shape of the answers for ``size`` tables."""
    return (size, *_FORMS[question].width)


def no_answer(question: str, size: int) -> IntArray:
    """Zeros in the form of answers, for a question that the rules answer and no player is asked."""
    return np.zeros(answer_shape(question, size), _FORMS[question].dtype)


def checked_answers(player: str, question: str, given: object, size: int) -> IntArray:
    """A player's answers for ``size`` tables as the engine takes them; anything else is an ``IllegalAction``.

    The engine decides from its own state whether a card or meld is legal. Values of arrays that already have
    the engine's type are not looked at here.
    """
    form = _FORMS[question]
    shape = (size, *form.width)
    if (
        type(given) is np.ndarray
        and given.dtype is form.dtype
        and given.shape == shape
        and given.flags.c_contiguous
    ):
        return given
    try:
        answers = np.asarray(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise IllegalAction(
            f"player {player!r}: {question} must answer with an array of shape {shape}: {error}"
        ) from None
    if answers.shape != shape:
        raise IllegalAction(
            f"player {player!r}: {question} must answer with shape {shape}, not {answers.shape}"
        )
    if answers.dtype != form.dtype:
        if answers.dtype.kind not in "iu":
            came = f"{answers.flat[0]!r} of type {answers.dtype}"
            raise IllegalAction(f"player {player!r} answered {question} with {came}: expected {form.words}")
        wrong = (answers < form.least) | (answers > form.greatest)
        if wrong.any():
            came = f"{answers[wrong][0]}"
            raise IllegalAction(f"player {player!r} answered {question} with {came}: expected {form.words}")
    return np.ascontiguousarray(answers, form.dtype)
