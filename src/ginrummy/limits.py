"""Numbers that compiled code is built on: sizes of hands and logs. No rule set can change them."""

HAND_SIZE = 10
MAX_TURNS = 200
"""Greatest value of ``Rules.max_turns``: it bounds the length of every log."""
LOG_LENGTH = MAX_TURNS + 3
"""Most events of a round: its turns, two passes of the first upcard, and a pass at the wall."""
